package steptest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The Go blocks of the page that tells how to prove an operator are those of tests that
// are run.
func TestThePageIsCompiled(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)<!-- source: ([^ ]+) -->\n```go\n(.*?)\n```").FindAllStringSubmatch(string(page), -1)
	if got := strings.Count(string(page), "```go"); len(blocks) != got || got < 2 {
		t.Fatalf("%d of %d Go blocks say where they are from, want all, and at least 2", len(blocks), got)
	}
	if lines := strings.Count(blocks[0][2], "\n") + 1; lines > 20 {
		t.Errorf("the test of a whole pipeline takes %d lines, want at most 20", lines)
	}
	for _, block := range blocks {
		code, err := os.ReadFile(filepath.Join("../..", block[1]))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(code), block[2]) {
			t.Errorf("%s does not have this block:\n%s", block[1], block[2])
		}
	}
}
