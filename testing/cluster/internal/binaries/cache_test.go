package binaries

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// helperVariable makes this test binary a process that finds kwok with the
// cache that the variable names.
const helperVariable = "TRUEUP_TEST_CACHE"

func TestMain(m *testing.M) {
	if cache := os.Getenv(helperVariable); cache != "" {
		paths, err := Finder{Cache: cache, Progress: os.Stderr}.Find(context.Background(), "kwok")
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(paths["kwok"])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// slowGo is a go command that counts its runs and waits until it may go on.
const slowGo = `
echo run >> "$SHARED/runs"
while [ ! -e "$SHARED/go-on" ]; do sleep 0.05; done
` + output

// finding is a process that finds kwok.
type finding struct {
	cmd    *exec.Cmd
	output bytes.Buffer
	stderr lockedBuffer
}

func startFinding(t *testing.T, cache string) *finding {
	t.Helper()
	f := &finding{cmd: exec.Command(os.Args[0])}
	f.cmd.Env = append(os.Environ(), helperVariable+"="+cache)
	f.cmd.Stdout, f.cmd.Stderr = &f.output, &f.stderr
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return f
}

func runs(shared string) int {
	content, _ := os.ReadFile(filepath.Join(shared, "runs"))
	return strings.Count(string(content), "run")
}

func TestProcessesShareOneBuild(t *testing.T) {
	shared, cache := t.TempDir(), t.TempDir()
	t.Setenv("SHARED", shared)
	fakeGo(t, slowGo)

	first := startFinding(t, cache)
	eventually(t, "the first builds", func() bool { return runs(shared) == 1 })
	second := startFinding(t, cache)
	eventually(t, "the second waits", func() bool {
		return strings.Contains(second.stderr.String(), "another process builds it")
	})
	program(t, shared, "go-on", "")
	for _, f := range []*finding{first, second} {
		if err := f.cmd.Wait(); err != nil {
			t.Errorf("%v: %s%s", err, &f.output, f.stderr.String())
		}
	}
	if first.output.String() != second.output.String() || !executable(strings.TrimSpace(first.output.String())) {
		t.Errorf("both should find the same program, got %s and %s", &first.output, &second.output)
	}
	if got := runs(shared); got != 1 {
		t.Errorf("want one build, got %d", got)
	}
}

func TestKilledBuildIsDoneAgain(t *testing.T) {
	shared, cache := t.TempDir(), t.TempDir()
	t.Setenv("SHARED", shared)
	fakeGo(t, slowGo)

	killed := startFinding(t, cache)
	eventually(t, "it builds", func() bool { return runs(shared) == 1 })
	if err := killed.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.cmd.Wait()
	eventually(t, "its build is gone", func() bool {
		left, _ := filepath.Glob(filepath.Join(cache, "*.building-*"))
		return len(left) == 0
	})
	program(t, shared, "go-on", "")
	next := startFinding(t, cache)
	if err := next.cmd.Wait(); err != nil {
		t.Errorf("%v: %s%s", err, &next.output, next.stderr.String())
	}
	if got := runs(shared); got != 2 {
		t.Errorf("want a second build, got %d", got)
	}
}

func TestHalfABuildIsDoneAgain(t *testing.T) {
	m, _ := moduleOf("kwok")
	key, err := m.key()
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	for _, name := range []string{key, key + ".building-123"} {
		if err := os.Mkdir(filepath.Join(cache, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	builds := map[string]int{}
	finder := Finder{Cache: cache, Progress: &bytes.Buffer{}, build: countingBuild(builds)}
	paths, err := finder.Find(t.Context(), "kwok")
	if err != nil {
		t.Fatal(err)
	}
	if !executable(paths["kwok"]) || exists(filepath.Join(cache, key+".building-123")) {
		t.Error("what a killed build has left should be replaced")
	}
}

func TestWaitingIsCancelled(t *testing.T) {
	shared, cache := t.TempDir(), t.TempDir()
	t.Setenv("SHARED", shared)
	fakeGo(t, slowGo)
	builder := startFinding(t, cache)
	eventually(t, "the other process builds", func() bool { return runs(shared) == 1 })

	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := Finder{Cache: cache, Progress: &bytes.Buffer{}}.Find(ctx, "kwok")
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "wait for the process that builds kwok") {
		t.Errorf("want an error that tells what was waited for, got %v", err)
	}
	program(t, shared, "go-on", "")
	if err := builder.cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, builder.stderr.String())
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// lockedBuffer may be read while it is written.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(context.Background(), 10*time.Millisecond, time.Minute, true,
		func(context.Context) (bool, error) { return condition(), nil })
	if err != nil {
		t.Errorf("never happened: %s", what)
	}
}
