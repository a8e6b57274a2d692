package guide_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	root   = "../.."
	ours   = "github.com/trueup-dev/trueup/examples/guide" // what the operator is called here
	theirs = "example.com/website"                         // and by who follows the page
)

// block is a block of the page.
type block struct {
	mark     string // what a comment says of it, for the tests
	language string
	text     string
}

// file returns the name of the file that the block is, in the operator's own folder.
func (b block) file() (string, bool) {
	if path, ok := strings.CutPrefix(b.mark, "source: examples/guide/"); ok {
		return path, true
	}
	return strings.CutPrefix(b.mark, "file: ")
}

// page returns the blocks of the page: those up to the chapter about a scaffold, and those
// in it.
func page(t *testing.T) (before, scaffold []block) {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	first, second, found := strings.Cut(string(text), "\n## From a scaffold of kubebuilder\n")
	if before, scaffold = blocksOf(first), blocksOf(second); !found || len(before) < 20 || len(scaffold) < 3 {
		t.Fatalf("the page has %d and %d blocks", len(before), len(scaffold))
	}
	return before, scaffold
}

func blocksOf(text string) []block {
	var blocks []block
	for _, found := range regexp.MustCompile("(?s)(?:<!-- ([^\n]+) -->\n)?```([a-z]+)\n(.*?\n)```\n").FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, block{mark: found[1], language: found[2], text: found[3]})
	}
	return blocks
}

// The page has every file of the operator, as it is.
func TestThePageHasTheFiles(t *testing.T) {
	before, _ := page(t)
	shown := map[string]bool{"doc.go": true} // of these tests
	for _, block := range before {
		name, ok := block.file()
		if !ok {
			if block.language != "sh" {
				t.Errorf("nothing says where this is from:\n%s", block.text)
			}
			continue
		}
		shown[name] = true
		is, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(is), ours, theirs), block.text); diff != "" {
			t.Errorf("%s (-file +page):\n%s", name, diff)
		}
	}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || isMade(path) || filepath.Dir(path) == "." && strings.HasSuffix(path, "_test.go") {
			return err
		}
		if !shown[path] {
			t.Errorf("the page does not show %s", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isMade reports whether a file is made by a command of the page.
func isMade(path string) bool {
	return strings.HasPrefix(filepath.Base(path), "zz_generated") || filepath.Dir(path) == "config/crd" || filepath.Dir(path) == "config/rbac"
}
