package e2e

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// replica is the operator as a process.
type replica struct {
	*world
	name string // by which the audit log knows it
	log  string
	cmd  *exec.Cmd
	done chan struct{}
	err  error // once done is closed: how it ended
}

// start starts the operator, which does not outlive this process.
func (w *world) start(name string, args ...string) *replica {
	w.Helper()
	r := &replica{world: w, name: name, log: filepath.Join(w.env.Logs(), name+".log"), done: make(chan struct{})}
	log, err := os.OpenFile(r.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	w.must(err)
	defer func() { _ = log.Close() }()
	r.cmd = exec.Command(installed.program, append(args, "--metrics-bind-address=0", "--health-probe-bind-address=0", "--zap-log-level=error")...)
	r.cmd.Args[0] = name // which a client of the API server says it is
	r.cmd.Env = append(os.Environ(), "KUBECONFIG="+installed.kubeconfig)
	r.cmd.Stdout, r.cmd.Stderr = log, log
	w.must(r.cmd.Start())
	watch := w.watch(r.cmd.Process.Pid)
	go func() {
		defer close(r.done)
		r.err = r.cmd.Wait()
		_, _ = io.WriteString(watch, "ended\n")
		_ = watch.Close()
	}()
	w.Cleanup(func() {
		r.kill()
		if w.Failed() {
			w.Logf("%s: %v; the end of its log:\n%s", name, r.err, tail(r.log))
		}
	})
	return r
}

// watch starts what kills a process when this one ends, however it does. To write
// a line to it is to say that there is nothing to kill any more.
func (w *world) watch(pid int) io.WriteCloser {
	w.Helper()
	dog := exec.Command("sh", "-c", `read -r _ || kill -9 "$1"`, "watchdog", fmt.Sprint(pid))
	input, err := dog.StdinPipe()
	w.must(err)
	w.must(dog.Start())
	go func() { _ = dog.Wait() }()
	return input
}

// kill is kill -9. It returns when the process was, and waits for its end.
func (r *replica) kill() time.Time {
	now := time.Now()
	_ = r.cmd.Process.Kill() // it may have ended by itself
	<-r.done
	return now
}

// stop interrupts the operator and returns how it ended.
func (r *replica) stop() error {
	r.signal(syscall.SIGTERM)
	<-r.done
	return r.err
}

func (r *replica) signal(signal syscall.Signal) {
	r.Helper()
	r.must(r.cmd.Process.Signal(signal))
}

// running returns an error if the operator has ended.
func (r *replica) running() error {
	select {
	case <-r.done:
		return fmt.Errorf("%s has ended: %w", r.name, r.err)
	default:
		return nil
	}
}

// awaitWork waits until the operator has changed so many things.
func (r *replica) awaitWork(n int) {
	r.Helper()
	r.await(fmt.Sprintf("%s has changed %d things", r.name, n), func() error {
		r.Helper()
		r.must(r.running())
		if now := len(r.requests(by(r.name), isWork)); now < n {
			return fmt.Errorf("it has changed %d", now)
		}
		return nil
	})
}

// tail returns the end of a file.
func tail(path string) string {
	text, _ := os.ReadFile(path)
	lines := strings.Split(string(text), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "\n")
}
