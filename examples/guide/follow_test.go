package guide_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trueup-dev/trueup/examples/internal/toolbox"
)

// Whoever starts in an empty folder and does what the page says has an operator, which
// passes its tests and is deployed. What is generated on the way is what is here.
func TestFromAnEmptyFolder(t *testing.T) {
	r := newReader(t, toolbox.Build(t, "kubectl"))
	before, _ := page(t)
	for _, block := range before {
		r.follow(block)
	}
	made := 0
	for _, pattern := range []string{"api/v1/zz_*", "config/crd/*", "config/rbac/*"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			made++
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(r.directory, name))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-here +by the page):\n%s", name, diff)
			}
		}
	}
	if made < 3 {
		t.Errorf("only %d files are generated", made)
	}
}

// Whoever starts from what kubebuilder makes has one as well, with kubebuilder's main.
func TestFromAScaffold(t *testing.T) {
	bin := toolbox.Build(t, "kubectl")
	kubebuilder := "#!/bin/sh\nexec go run sigs.k8s.io/kubebuilder/v4@v4.16.0 \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "kubebuilder"), []byte(kubebuilder), 0o700); err != nil {
		t.Fatal(err)
	}
	r := newReader(t, bin)
	before, scaffold := page(t)
	for i, block := range scaffold {
		r.follow(block)
		if i > 0 {
			continue
		}
		for _, block := range before { // which the page says to put there
			if name, ok := block.file(); ok && (strings.HasPrefix(name, "api/") || strings.HasPrefix(name, "internal/") || strings.HasPrefix(name, "cmd/rbac/")) {
				r.follow(block)
			}
		}
	}
	role, err := os.ReadFile(filepath.Join(r.directory, "config/rbac/role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("config/rbac/role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(role)); diff != "" {
		t.Errorf("config/rbac/role.yaml (-here +in the scaffold):\n%s", diff)
	}
}
