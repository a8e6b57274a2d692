package steptest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A golden file is written, with its directory, when it is asked for, and compared from
// then on.
func TestGoldenFilesAreWritten(t *testing.T) {
	kinds, err := served()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "of", "tests", "mirror.yaml")
	c := cases["first pass"]
	c.Kinds, c.Setup, c.Want.Golden = kinds, mirror{}.setup, file
	run := func(write bool) []string {
		before := *update
		defer func() { *update = before }()
		*update = write
		return c.check(t)
	}
	read := func(path string) string {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	if wrong := run(true); len(wrong) > 0 {
		t.Errorf("%q is told while it is written", wrong)
	}
	if got, want := read(file), read("testdata/mirror.yaml"); got != want {
		t.Errorf("written is\n%s\nwant\n%s", got, want)
	}
	if wrong := run(false); len(wrong) > 0 {
		t.Errorf("%q is told of what was written", wrong)
	}
	c.Given, c.Want.Objects = []client.Object{unseen(saying("bye"))}, nil
	if wrong := run(false); len(wrong) != 1 || !strings.HasPrefix(wrong[0], "objects (-"+file+" +got)") {
		t.Errorf("%q is told of another object, want that it differs from the file", wrong)
	}
	if wrong := run(true); len(wrong) > 0 || !strings.Contains(read(file), "said: bye") {
		t.Errorf("%q is told, and the file is\n%s\nwant one that is written again", wrong, read(file))
	}
}
