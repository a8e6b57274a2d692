package cluster

import (
	"bytes"
	"strings"
	"testing"
)

func TestBuild(t *testing.T) {
	progress := &bytes.Buffer{}
	if err := Build(t.Context(), progress); err != nil {
		t.Fatal(err)
	}
	progress.Reset()
	t.Setenv("PATH", t.TempDir()) // with nothing to build with
	if err := Build(t.Context(), progress); err != nil {
		t.Errorf("what is built should be found without building, got %v", err)
	}
	if progress.Len() > 0 {
		t.Errorf("what is built should be found silently, got %s", progress)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	if err := Build(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "no go command on the PATH") {
		t.Errorf("with an empty cache and no Go the error should say so, got %v", err)
	}
}
