package process

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// shell runs the watchdog and the gate of every process.
const shell = "/bin/sh"

//go:embed watchdog.sh
var watchdogScript string

// Watchdog outlives the program that started it just long enough to clean up
// after it: see the package comment. Its methods may be called concurrently.
type Watchdog struct {
	cmd   *exec.Cmd
	mu    sync.Mutex
	input io.WriteCloser
}

// NewWatchdog starts a watchdog over directory, which need not exist yet, so
// that there is no moment in which it exists without being watched. It runs in
// a session of its own: what is typed at a terminal does not reach it.
func NewWatchdog(directory string) (*Watchdog, error) {
	cmd := exec.Command(shell, "-c", watchdogScript, "trueup-watchdog", directory) //nolint:gosec // an argument, which the script quotes
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start watchdog: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start watchdog: %w", err)
	}
	return &Watchdog{cmd: cmd, input: input}, nil
}

// Keep makes the watchdog leave the directory alone.
func (w *Watchdog) Keep() error { return w.send("keep") }

// Release ends the watchdog, which does nothing any more: every process was
// stopped, and the directory is the caller's to remove. Releasing it again
// does nothing.
func (w *Watchdog) Release() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.input == nil {
		return nil
	}
	_, err := io.WriteString(w.input, "release\n")
	_ = w.input.Close()
	w.input = nil
	if waitErr := w.cmd.Wait(); err == nil {
		err = waitErr
	}
	if err != nil {
		return fmt.Errorf("release watchdog: %w", err)
	}
	return nil
}

func (w *Watchdog) watch(group int) error { return w.send(fmt.Sprintf("watch %d", group)) }

func (w *Watchdog) forget(group int) error { return w.send(fmt.Sprintf("forget %d", group)) }

func (w *Watchdog) send(line string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.input == nil {
		return nil
	}
	if _, err := io.WriteString(w.input, line+"\n"); err != nil {
		return fmt.Errorf("tell watchdog to %s: %w", line, err)
	}
	return nil
}
