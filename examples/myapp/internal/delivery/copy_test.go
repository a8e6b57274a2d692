package delivery_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readme returns the page that tells what there is.
func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(app, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Who copies the operator, and renames it as the page says, has one that builds, whose
// generated files are made anew, and that runs under its own roles.
func TestCopied(t *testing.T) {
	found := regexp.MustCompile("(?s)<!-- copied -->\n```sh\n(.*?)```").FindStringSubmatch(readme(t))
	if found == nil {
		t.Fatal("the page does not say how to copy it")
	}
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	if err := os.Symlink(here, filepath.Join(directory, "trueup")); err != nil {
		t.Fatal(err)
	}
	// What is copied is of this tree, which is not what is published.
	const get = "go get github.com/trueup-dev/trueup\n"
	if !strings.Contains(found[1], get) {
		t.Fatalf("the page does not say %q", get)
	}
	script := strings.Replace(found[1], get, "go mod edit -require=github.com/trueup-dev/trueup@v0.0.0 "+
		"-replace=github.com/trueup-dev/trueup="+here+"\ncp "+here+"/go.sum .\n", 1)
	cmd := exec.CommandContext(t.Context(), "bash", "-euc", script+"! grep -rIiE 'my-?app|apps.example.com' .\n")
	cmd.Dir, cmd.Env = directory, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// The tests that the page names are there.
func TestPageNamesTests(t *testing.T) {
	var all strings.Builder
	err := filepath.WalkDir(app, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`((?:Test|Fuzz)\\w+)(…?)`").FindAllStringSubmatch(readme(t), -1)
	if len(names) < 20 {
		t.Errorf("the page names %d tests", len(names))
	}
	for _, name := range names {
		declared := "func " + name[1]
		if name[2] == "" {
			declared += "("
		}
		if !strings.Contains(all.String(), declared) {
			t.Errorf("there is no test %s%s", name[1], name[2])
		}
	}
}
