package steptest

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

var update = flag.Bool("steptest.update", false, "write golden files instead of comparing with them")

// golden compares objects with a file, or writes it.
func golden(t *testing.T, reason, file string, objects []*unstructured.Unstructured) {
	t.Helper()
	picture, err := memory.Picture(objects, nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, 0, len(picture))
	for _, name := range slices.Sorted(maps.Keys(picture)) {
		texts = append(texts, picture[name])
	}
	got := strings.Join(texts, "---\n")
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%s: %v; -steptest.update writes it", reason, err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: objects (-%s +got):\n%s", reason, file, diff)
	}
}
