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

// tailLines is how much of its log a component's error carries.
const tailLines = 20

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
}

// Error implements error.
func (e *ComponentError) Error() string {
	hint := ""
	if e.noSpace() {
		hint = "; the disk is full"
	}
	return fmt.Sprintf("%s ended with %s%s; its log is %s and ends with:\n%s",
		e.Component, e.State, hint, e.Log, strings.Join(e.Tail, "\n"))
}

func (e *ComponentError) noSpace() bool { return binaries.NoSpace(strings.Join(e.Tail, "\n")) }

// portTaken reports whether the component could not listen on its port.
func (e *ComponentError) portTaken() bool {
	return strings.Contains(strings.Join(e.Tail, "\n"), "address already in use")
}

func newComponentError(component Component, p *process.Process) *ComponentError {
	return &ComponentError{Component: component, State: p.State(), Log: p.Log(), Tail: process.Tail(p.Log(), tailLines)}
}
