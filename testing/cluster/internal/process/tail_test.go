package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTail(t *testing.T) {
	cases := map[string]struct {
		reason  string
		content string
		count   int
		want    []string
	}{
		"Last": {
			reason:  "Only the last lines should be returned, in order.",
			content: "one\ntwo\nthree\n",
			count:   2,
			want:    []string{"two", "three"},
		},
		"Fewer": {
			reason:  "A short file should be returned whole, empty lines left out.",
			content: "one\n\r\n\ntwo",
			count:   5,
			want:    []string{"one", "two"},
		},
		"Empty": {
			reason: "An empty file should have no lines.",
			count:  5,
			want:   nil,
		},
		"Long": {
			reason:  "A file that is longer than what is read should still end with its last lines.",
			content: strings.Repeat("x", 2*tailBytes) + "\nlast\n",
			count:   1,
			want:    []string{"last"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(path, []byte(tc.content), 0o600); err != nil {
				t.Fatal(err)
			}
			got := Tail(path, tc.count)
			if diff := cmp.Diff(tc.want, got); diff != "" && len(tc.want)+len(got) > 0 {
				t.Errorf("\n%s\nTail: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}

	if got := Tail(filepath.Join(t.TempDir(), "none"), 5); got != nil {
		t.Errorf("Tail of a missing file: want none, got %q", got)
	}
}
