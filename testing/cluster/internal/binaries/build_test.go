package binaries

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeGo puts a go command that is a shell script in front of the PATH.
func fakeGo(t *testing.T, script string) {
	t.Helper()
	directory := t.TempDir()
	program(t, directory, "go", "#!/bin/sh\n"+script)
	t.Setenv("PATH", directory+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// output is the last lines of a fake go command: it makes what it is asked for.
const output = `
while [ "$1" != "-o" ]; do shift; done
echo '#!/bin/sh' > "$2"; chmod +x "$2"
`

func TestCompile(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	t.Setenv("RECORD", record)
	t.Setenv("GOFLAGS", "-mod=vendor -race")
	t.Setenv("GOOS", "plan9")
	fakeGo(t, `
{ ls; echo "$@"; echo "$GOFLAGS $GOWORK $CGO_ENABLED"; } > "$RECORD"
echo "go: downloading example.com/a v1.0.0" >&2
echo "example.com/a" >&2
`+output)
	progress := &bytes.Buffer{}
	cache := t.TempDir()
	finder := Finder{Cache: cache, Progress: progress}
	got, err := finder.Find(t.Context(), "kwok")
	if err != nil {
		t.Fatal(err)
	}
	if !executable(got["kwok"]) {
		t.Errorf("%s should be a program", got["kwok"])
	}
	recorded, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"go.mod\ngo.sum\nmain.go\n", "build -v -mod=readonly -trimpath -buildvcs=false -ldflags", "-mod=readonly off 0\n"} {
		if !strings.Contains(string(recorded), want) {
			t.Errorf("the go command should see %q, got:\n%s", want, recorded)
		}
	}
	for _, want := range []string{"building kwok " + KwokVersion, "about 1 minute", "built kwok"} {
		if !strings.Contains(progress.String(), want) {
			t.Errorf("progress should tell %q, got:\n%s", want, progress)
		}
	}
	log := filepath.Join(cache, "kwok-"+KwokVersion+".log")
	if got, want := buildProgress(known[1], log, 31*time.Second), "31s so far, 1 modules downloaded, 1 of at most 950 packages compiled"; got != want {
		t.Errorf("progress: want %q, got %q", want, got)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*.building-*")); len(left) > 0 {
		t.Errorf("nothing of the build should be left, got %s", left)
	}
}

func TestCompileErrors(t *testing.T) {
	cases := map[string]struct {
		reason string
		script string
		want   []string
	}{
		"Fails": {
			reason: "The error should have the end of the log, and its path.",
			script: "echo 'main.go:1: syntax error' >&2; exit 1",
			want:   []string{"build kwok " + KwokVersion, "exit status 1", ".log", "main.go:1: syntax error"},
		},
		"DiskFull": {
			reason: "A full disk should be called one.",
			script: "echo 'write /tmp/x.a: no space left on device' >&2; exit 1",
			want:   []string{"The disk is full: free some space"},
		},
		"Offline": {
			reason: "A missing network should be called one.",
			script: "echo 'go: example.com/a: dial tcp: lookup proxy: no such host' >&2; exit 1",
			want:   []string{"only the first build on a machine needs the network"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			fakeGo(t, tc.script)
			cache := t.TempDir()
			_, err := Finder{Cache: cache, Progress: &bytes.Buffer{}}.Find(t.Context(), "kwok")
			if err == nil {
				t.Fatalf("\n%s\ngot no error", tc.reason)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("\n%s\nwant an error with %q, got %v", tc.reason, want, err)
				}
			}
			if _, err := os.Stat(filepath.Join(cache, "kwok-"+KwokVersion+".log")); err != nil {
				t.Errorf("the log should be there: %v", err)
			}
		})
	}
}

func TestCompileWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Finder{Cache: t.TempDir(), Progress: &bytes.Buffer{}}.Find(t.Context(), "kwok")
	for _, want := range []string{"no go command on the PATH", "install Go", AssetsVariable} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

func TestCompileIsCancelled(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	t.Setenv("STARTED", started)
	fakeGo(t, `touch "$STARTED"; exec sleep 1000`)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		eventually(t, "the build has started", func() bool { return exists(started) })
	}()
	cache := t.TempDir()
	_, err := Finder{Cache: cache, Progress: &bytes.Buffer{}}.Find(ctx, "kwok")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("want the context's error, got %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*.building-*")); len(left) > 0 {
		t.Errorf("nothing of the build should be left, got %s", left)
	}
}

func TestBuildEnvironment(t *testing.T) {
	got := buildEnvironment([]string{"HOME=/h", "GOFLAGS=-race", "GOPROXY=off", "GOTOOLCHAIN=local", "GOARCH=mips", "GOEXPERIMENT=x"})
	for _, kept := range []string{"HOME=/h", "GOPROXY=off", "GOTOOLCHAIN=local"} {
		if !slices.Contains(got, kept) {
			t.Errorf("%s should be kept", kept)
		}
	}
	names := map[string]int{}
	for _, variable := range got {
		name, _, _ := strings.Cut(variable, "=")
		names[name]++
	}
	want := map[string]int{
		"HOME": 1, "GOPROXY": 1, "GOTOOLCHAIN": 1,
		"GOFLAGS": 1, "GOWORK": 1, "GO111MODULE": 1, "CGO_ENABLED": 1, "GOOS": 1, "GOARCH": 1,
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names: -want, +got:\n%s", diff)
	}
}
