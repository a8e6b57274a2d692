package fieldcases_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The cases that are run are those of testdata/cases.txt, which has each with the report
// that it is from, in their order; each has a file of its own that tells of the report.
func TestEveryCaseIsThere(t *testing.T) {
	data, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for line := range strings.Lines(string(data)) {
		id, report, _ := strings.Cut(strings.TrimSpace(line), " ")
		want = append(want, id)
		files, err := filepath.Glob(fmt.Sprintf("c%s_*_test.go", strings.TrimPrefix(id, "C")))
		if err != nil || len(files) != 1 {
			t.Errorf("%s has the files %v, want one (%v)", id, files, err)
			continue
		}
		code, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(code), "// "+report+"\n") {
			t.Errorf("%s does not tell that %s is from %s", files[0], id, report)
		}
	}
	for _, made := range cases {
		c := made()
		got = append(got, c.id)
		if c.shows == "" || c.run == nil {
			t.Errorf("%s does not say what the handwritten reconciler fails in, or what to do", c.id)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cases (-want +got):\n%s", diff)
	}
}
