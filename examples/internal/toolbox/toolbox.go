// Package toolbox builds the programs of the module in ../tools, which users have and
// tests therefore need: kubectl above all.
package toolbox

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// Build builds the programs into a directory that goes away with the test, and returns
// it: for PATH. The first time on a machine that takes some minutes.
func Build(t testing.TB, programs ...string) string {
	t.Helper()
	directory := t.TempDir()
	_, here, _, _ := runtime.Caller(0)
	args := slices.Concat(
		[]string{"build", "-C", filepath.Join(filepath.Dir(here), "../tools"), "-ldflags=-s -w", "-o", directory + "/"}, packages(programs))
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("build %v: %v\n%s", programs, err, out)
	}
	return directory
}

func packages(programs []string) []string {
	paths := make([]string, len(programs))
	for i, program := range programs {
		paths[i] = "./" + program
	}
	return paths
}
