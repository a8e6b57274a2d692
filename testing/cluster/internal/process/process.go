package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// gate waits for one line before it becomes the program, so that the watchdog
// knows of the process before it does anything. When the parent is gone before
// it has sent the line, the input ends, and so does the gate.
const gate = `read -r go && exec "$@" </dev/null`

// Command is what to run.
type Command struct {
	// Name is what the process is called in errors. Required.
	Name string
	// Path is the program, and Args are its arguments, without its name. Path
	// is required.
	Path string
	Args []string
	// Directory is where the process runs. Defaults to the current directory.
	Directory string
	// Environment is the whole environment of the process: nothing is
	// inherited.
	Environment []string
	// Log is the file to which the output is appended. Required.
	Log string
}

// Process is a started [Command]. Its methods may be called concurrently.
type Process struct {
	name  string
	log   string
	group int
	done  chan struct{}
	state string // how it ended; read only after done is closed
	code  int
}

// Start runs the command in a process group of its own, under the watchdog.
// The process never inherits the standard streams of this one, so "go test"
// has nothing to wait for.
func (w *Watchdog) Start(command Command) (*Process, error) {
	log, err := os.OpenFile(command.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Name, err)
	}
	defer func() { _ = log.Close() }()

	cmd := exec.Command(shell, append([]string{"-c", gate, command.Name, command.Path}, command.Args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = command.Directory, command.Environment, log, log
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Name, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", command.Name, err)
	}

	p := &Process{name: command.Name, log: command.Log, group: cmd.Process.Pid, done: make(chan struct{})}
	watchErr := w.watch(p.group)
	if watchErr == nil {
		// An error means that the gate is dead already: Done tells.
		_, _ = io.WriteString(input, "go\n")
	}
	_ = input.Close()
	go p.wait(cmd, w)
	if watchErr != nil {
		<-p.done
		return nil, fmt.Errorf("start %s: %w", command.Name, watchErr)
	}
	return p, nil
}

// wait closes done once the process and everything that it started are gone.
func (p *Process) wait(cmd *exec.Cmd, w *Watchdog) {
	err := cmd.Wait()
	p.signal(syscall.SIGKILL) // what is left of its group
	_ = w.forget(p.group)
	p.code = cmd.ProcessState.ExitCode()
	p.state = cmd.ProcessState.String()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		p.state = err.Error()
	}
	close(p.done)
}

// Name is the name of the command.
func (p *Process) Name() string { return p.name }

// Log is the path of the output.
func (p *Process) Log() string { return p.log }

// ID is the process id, which is the id of its process group as well.
func (p *Process) ID() int { return p.group }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// State says how the process ended ("exit status 1", "signal: killed"). It
// waits until it has.
func (p *Process) State() string {
	<-p.done
	return p.state
}

// Succeeded reports whether the process ended with exit status 0. It waits
// until it has ended.
func (p *Process) Succeeded() bool {
	<-p.done
	return p.code == 0
}

// Stop asks the process group to end, kills it after grace, and returns when
// it is gone.
func (p *Process) Stop(grace time.Duration) {
	select {
	case <-p.done:
		return
	default:
	}
	p.signal(syscall.SIGTERM)
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.signal(syscall.SIGKILL)
		<-p.done
	}
}

func (p *Process) signal(signal syscall.Signal) { _ = syscall.Kill(-p.group, signal) }
