package cluster

import (
	"fmt"
	"strings"

	"github.com/trueup-dev/trueup/testing/cluster/internal/binaries"
	"github.com/trueup-dev/trueup/testing/cluster/internal/process"
)

// The versions of what [Build] builds.
const (
	KubernetesVersion = binaries.KubernetesVersion
	KwokVersion       = binaries.KwokVersion
)

// Component is a program of the cluster, by its name.
type Component string

// The components, in the order in which they are started. They are stopped in
// the reverse order: an API server that has lost its etcd hangs.
const (
	Etcd              Component = "etcd"
	APIServer         Component = "kube-apiserver"
	ControllerManager Component = "kube-controller-manager"
	Scheduler         Component = "kube-scheduler"
	Kwok              Component = "kwok"
)

// tailLines is how much of its log a component's error carries, and searchLines
// how much is searched for what went wrong: the cause may come before a stack.
const (
	tailLines   = 20
	searchLines = 400
)

// ComponentError says that a component ended although nobody asked it to.
type ComponentError struct {
	// Component is the one that ended.
	Component Component
	// State is how: "exit status 1", "signal: killed".
	State string
	// Log is the path of its output.
	Log string
	// Tail is the last lines of its output.
	Tail []string

	diskFull  bool
	portTaken bool
}

// Error implements error.
func (e *ComponentError) Error() string {
	hint := ""
	if e.diskFull {
		hint = ", because the disk is full"
	}
	return fmt.Sprintf("%s ended with %s%s; its log is %s and ends with:\n%s",
		e.Component, e.State, hint, e.Log, strings.Join(e.Tail, "\n"))
}

// newComponentError reads the log of a process that has ended.
func newComponentError(component Component, p *process.Process) *ComponentError {
	state := p.State() // waits for the end, after which the log is complete
	lines := process.Tail(p.Log(), searchLines)
	text := strings.Join(lines, "\n")
	return &ComponentError{
		Component: component,
		State:     state,
		Log:       p.Log(),
		Tail:      lines[max(0, len(lines)-tailLines):],
		diskFull:  binaries.NoSpace(text),
		portTaken: strings.Contains(text, "address already in use"),
	}
}
