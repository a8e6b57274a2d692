package cluster

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trueup-dev/trueup/testing/cluster/internal/process"
)

func TestComponentDiesAtStart(t *testing.T) {
	flags := []string{"--no-such-flag"}
	cases := map[string]struct {
		component Component
		options   Options
	}{
		"Etcd":              {component: Etcd},
		"APIServer":         {component: APIServer},
		"ControllerManager": {component: ControllerManager, options: Options{Controllers: true}},
		"Scheduler":         {component: Scheduler, options: Options{Scheduler: true}},
		"Kwok":              {component: Kwok, options: Options{Nodes: 1}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			parent := temporaryDirectory(t)
			t.Setenv("TMPDIR", parent)
			tc.options.Flags = map[Component][]string{tc.component: flags}

			start := time.Now()
			_, err := Start(t.Context(), tc.options)
			failure := (*ComponentError)(nil)
			if !errors.As(err, &failure) {
				t.Fatalf("want a ComponentError, got %v", err)
			}
			if diff := cmp.Diff(tc.component, failure.Component); diff != "" {
				t.Errorf("component: -want, +got:\n%s", diff)
			}
			if !strings.HasPrefix(failure.State, "exit status ") {
				t.Errorf("the state should tell the exit status, got %s", failure.State)
			}
			for _, want := range []string{string(tc.component) + " ended with exit status", failure.Log, "no-such-flag"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("want an error with %q, got %v", want, err)
				}
			}
			if !exists(failure.Log) {
				t.Errorf("the log %s should be kept", failure.Log)
			}
			if left := processesIn(t, parent); len(left) > 0 {
				t.Errorf("left running are %s", describe(left))
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("the error should come at once, it took %s", took)
			}
		})
	}
}

func TestComponentDiesLater(t *testing.T) {
	c := startForTest(t, Options{})
	t.Cleanup(func() { _ = os.RemoveAll(c.Directory()) })
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.Done():
		t.Fatal("a running cluster should not be done")
	default:
	}
	for _, r := range c.running {
		if r.component == Etcd {
			if err := syscall.Kill(r.process.ID(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
	<-c.Done()
	failure := (*ComponentError)(nil)
	if err := c.Err(); !errors.As(err, &failure) {
		t.Fatalf("want a ComponentError, got %v", err)
	}
	want := &ComponentError{Component: Etcd, State: "signal: killed", Log: filepath.Join(c.Logs(), "etcd.log")}
	got := &ComponentError{Component: failure.Component, State: failure.State, Log: failure.Log}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(ComponentError{})); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if err := c.Stop(); err != nil {
		t.Errorf("stopping what is left should not be an error, got %v", err)
	}
	if left := processesIn(t, c.Directory()); len(left) > 0 {
		t.Errorf("left running are %s", describe(left))
	}
	if !exists(failure.Log) {
		t.Errorf("the log %s should be kept", failure.Log)
	}
}

func TestComponentErrorReadsLog(t *testing.T) {
	directory := t.TempDir()
	watchdog, err := process.NewWatchdog(directory)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = watchdog.Release() }()
	p, err := watchdog.Start(process.Command{
		Name: "etcd", Path: "/bin/sh", Log: filepath.Join(directory, "log"), Environment: []string{"PATH=" + os.Getenv("PATH")},
		Args: []string{"-c", "echo 'write wal: no space left on device'; for i in $(seq 30); do echo frame $i; done; exit 2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := newComponentError(Etcd, p)
	if want := "etcd ended with exit status 2, because the disk is full; its log is " + p.Log() + " and ends with:\nframe 11\n"; !strings.HasPrefix(got.Error(), want) {
		t.Errorf("want an error that starts with %q, got %q", want, got)
	}
}
