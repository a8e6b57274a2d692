package reconcile_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The Go blocks of the README are those of files that the tests compile and
// run, and say which.
func TestTheReadmeIsCompiled(t *testing.T) {
	const root = ".."
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)(<!-- source: ([^ ]+) -->\n)?```go\n(.*?)\n```").FindAllStringSubmatch(string(readme), -1)
	if len(blocks) < 4 {
		t.Fatalf("found %d Go blocks, want at least 4", len(blocks))
	}
	for _, block := range blocks {
		source, text := block[2], block[3]
		if source == "" {
			t.Errorf("no source is given for:\n%s", text)
			continue
		}
		code, err := os.ReadFile(filepath.Join(root, source))
		if err != nil {
			t.Errorf("source of a block: %v", err)
			continue
		}
		if !strings.Contains(string(code), text) {
			t.Errorf("%s does not have this block:\n%s", source, text)
		}
	}
}

// .ci/run takes the two commands from the README.
func TestTheReadmesCommands(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"\ngo run ./examples/myapp/demo\n", "\ngo test -timeout 30m ./...\n"} {
		if !strings.Contains(string(readme), command) {
			t.Errorf("the README does not say %q on a line of its own, which .ci/run looks for", strings.TrimSpace(command))
		}
	}
}
