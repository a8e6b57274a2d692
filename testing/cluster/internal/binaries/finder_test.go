package binaries

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// program writes an executable file.
func program(t *testing.T, directory, name, content string) string {
	t.Helper()
	path := filepath.Join(directory, name)
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// countingBuild builds an empty program, and counts.
func countingBuild(builds map[string]int) func(context.Context, module, string) error {
	return func(_ context.Context, m module, directory string) error {
		builds[m.name]++
		return os.WriteFile(filepath.Join(directory, m.name), nil, 0o755)
	}
}

func TestFind(t *testing.T) {
	assets, cache := t.TempDir(), t.TempDir()
	apiServer := program(t, assets, "kube-apiserver", "")
	_ = program(t, assets, "kwok", "")
	if err := os.Mkdir(filepath.Join(assets, "kube-scheduler"), 0o755); err != nil { // not a program
		t.Fatal(err)
	}
	builds := map[string]int{}
	finder := Finder{Assets: assets, Cache: cache, Progress: &bytes.Buffer{}, build: countingBuild(builds)}

	got, err := finder.Find(t.Context(), "kube-apiserver")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"kube-apiserver": apiServer}, got); diff != "" {
		t.Errorf("what the assets have should be taken from there: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{}, builds); diff != "" {
		t.Errorf("and nothing built: -want, +got:\n%s", diff)
	}

	for range 2 {
		got, err = finder.Find(t.Context(), "kube-apiserver", "kube-scheduler", "kube-controller-manager", "kwok")
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(map[string]int{"kubernetes": 1, "kwok": 1}, builds); diff != "" {
		t.Errorf("the rest should be built once: -want, +got:\n%s", diff)
	}
	for name, path := range got {
		if filepath.Base(path) != name || !executable(path) {
			t.Errorf("%s should be a program of that name, got %s", name, path)
		}
		if inCache := strings.HasPrefix(path, cache); inCache == (name == "kube-apiserver") {
			t.Errorf("%s should not be at %s", name, path)
		}
	}
}

func TestFindErrors(t *testing.T) {
	file := program(t, t.TempDir(), "file", "")
	broken := errors.New("broken")
	cases := map[string]struct {
		reason string
		finder Finder
		names  []string
		want   string
	}{
		"Unknown": {
			reason: "A program that nothing builds should be refused.",
			finder: Finder{Cache: t.TempDir()},
			names:  []string{"kubelet"},
			want:   "find kubelet: no such program",
		},
		"MissingAssets": {
			reason: "Assets that do not exist should be an error, not a reason to build.",
			finder: Finder{Assets: filepath.Join(file, "none"), Cache: t.TempDir()},
			names:  []string{"etcd"},
			want:   "look into KUBEBUILDER_ASSETS",
		},
		"AssetsAreFile": {
			reason: "Assets that are a file should be an error.",
			finder: Finder{Assets: file, Cache: t.TempDir()},
			names:  []string{"etcd"},
			want:   "is not a directory",
		},
		"BuildFails": {
			reason: "The error of a build should be returned.",
			finder: Finder{Cache: t.TempDir(), build: func(context.Context, module, string) error { return broken }},
			names:  []string{"etcd"},
			want:   "find etcd: broken",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.finder.Progress = &bytes.Buffer{}
			_, err := tc.finder.Find(t.Context(), tc.names...)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nwant an error with %q, got %v", tc.reason, tc.want, err)
			}
		})
	}
}

func TestNewFinder(t *testing.T) {
	t.Setenv(AssetsVariable, "/assets")
	t.Setenv("HOME", "/home/somebody")
	t.Setenv("XDG_CACHE_HOME", "")
	finder, err := NewFinder(os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if finder.Assets != "/assets" || !strings.HasPrefix(finder.Cache, "/home/somebody/") {
		t.Errorf("the finder should look into the assets and the user's cache, got %+v", finder)
	}
	t.Setenv("HOME", "")
	if _, err := NewFinder(os.Stderr); err == nil || !strings.Contains(err.Error(), "set XDG_CACHE_HOME or HOME") {
		t.Errorf("without a home the error should say what to set, got %v", err)
	}
}
