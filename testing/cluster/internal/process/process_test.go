package process

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// newTestWatchdog returns a watchdog over a directory, which is released after
// the test.
func newTestWatchdog(t *testing.T) (watchdog *Watchdog, directory string) {
	t.Helper()
	directory = t.TempDir()
	watchdog, err := NewWatchdog(directory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := watchdog.Release(); err != nil {
			t.Error(err)
		}
	})
	return watchdog, directory
}

// start runs a shell script.
func start(t *testing.T, w *Watchdog, directory, script string, environment ...string) *Process {
	t.Helper()
	p, err := w.Start(Command{
		Name: "script", Path: shell, Args: []string{"-c", script},
		Directory: directory, Environment: append(environment, "PATH="+os.Getenv("PATH")),
		Log: filepath.Join(directory, "script.log"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProcessEnds(t *testing.T) {
	cases := map[string]struct {
		reason    string
		script    string
		state     string
		succeeded bool
		output    []string
	}{
		"Success": {
			reason:    "Standard output and error should both be logged.",
			script:    "echo out; echo err >&2",
			state:     "exit status 0",
			succeeded: true,
			output:    []string{"out", "err"},
		},
		"Failure": {
			reason: "The exit status should be told.",
			script: "exit 3",
			state:  "exit status 3",
		},
		"Signal": {
			reason: "The signal should be told.",
			script: "kill -9 $$",
			state:  "signal: killed",
		},
		"Environment": {
			reason:    "Nothing but the given environment and no input should be seen.",
			script:    `echo "${HOME-unset} $GIVEN"; cat`,
			state:     "exit status 0",
			succeeded: true,
			output:    []string{"unset value"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			watchdog, directory := newTestWatchdog(t)
			p := start(t, watchdog, directory, tc.script, "GIVEN=value")
			if diff := cmp.Diff(tc.state, p.State()); diff != "" {
				t.Errorf("\n%s\nState: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.succeeded, p.Succeeded()); diff != "" {
				t.Errorf("\n%s\nSucceeded: -want, +got:\n%s", tc.reason, diff)
			}
			if got := Tail(p.Log(), 10); len(got)+len(tc.output) > 0 {
				if diff := cmp.Diff(tc.output, got); diff != "" {
					t.Errorf("\n%s\nTail: -want, +got:\n%s", tc.reason, diff)
				}
			}
			p.Stop(time.Minute) // of what has ended, at once
		})
	}
}

func TestStartOfMissingProgram(t *testing.T) {
	watchdog, directory := newTestWatchdog(t)
	p, err := watchdog.Start(Command{
		Name: "missing", Path: filepath.Join(directory, "missing"), Log: filepath.Join(directory, "missing.log"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("exit status 127", p.State()); diff != "" {
		t.Errorf("State: -want, +got:\n%s", diff)
	}
	if len(Tail(p.Log(), 1)) == 0 {
		t.Error("the log should say that there is no such program")
	}
}

func TestStartWithoutLog(t *testing.T) {
	watchdog, directory := newTestWatchdog(t)
	_, err := watchdog.Start(Command{Name: "script", Path: shell, Log: filepath.Join(directory, "missing", "log")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("want an error that the log's directory does not exist, got %v", err)
	}
}

func TestStop(t *testing.T) {
	cases := map[string]struct {
		reason string
		script string
		grace  time.Duration
		state  string
	}{
		"Willing": {
			reason: "A process that ends when it is asked to should not be killed.",
			script: `trap 'exit 7' TERM; touch up; while :; do wait_a_bit; done`,
			grace:  time.Minute,
			state:  "exit status 7",
		},
		"Stubborn": {
			reason: "A process that does not should be, with its children.",
			script: `trap '' TERM; wait_a_bit & touch up; while :; do wait_a_bit; done`,
			grace:  50 * time.Millisecond,
			state:  "signal: killed",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			watchdog, directory := newTestWatchdog(t)
			p := start(t, watchdog, directory, "wait_a_bit() { sleep 0.05; }\n"+tc.script)
			eventually(t, "the script runs", func() bool { return exists(filepath.Join(directory, "up")) })
			p.Stop(tc.grace)
			if diff := cmp.Diff(tc.state, p.State()); diff != "" {
				t.Errorf("\n%s\nState: -want, +got:\n%s", tc.reason, diff)
			}
			eventually(t, "its group is gone", func() bool { return !alive(p.ID()) })
		})
	}
}

func TestEndTakesChildrenAlong(t *testing.T) {
	watchdog, directory := newTestWatchdog(t)
	p := start(t, watchdog, directory, `sleep 1000 & exit 0`)
	<-p.Done()
	eventually(t, "its group is gone", func() bool { return !alive(p.ID()) })
}
