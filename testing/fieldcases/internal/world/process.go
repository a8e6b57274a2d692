package world

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trueup-dev/trueup/reconcile"
)

// errDead is what a process that has crashed is told by everything around it: it
// reaches nothing any more.
var errDead = errors.New("the process has crashed")

// Process is one life of the operator.
type Process struct {
	// World is where it lives.
	World *World
	// Env is what it works with. Its memory is empty.
	Env reconcile.Environment
	// Registry is its connection to the external system.
	Registry *Connection
	// Version of the operator, from 1.
	Version int

	reconciler ctrlreconcile.Reconciler
	dead       atomic.Bool
	crashIn    atomic.Int64 // accepted writes until it crashes, 0 for never
}

// start starts a process.
func (w *World) start() {
	w.t.Helper()
	p := &Process{World: w, Version: w.version}
	writer := w.client(p.transport)
	p.Registry = &Connection{process: p, Registry: w.Registry}
	cache := &reader{process: p, view: &w.view}
	p.Env = reconcile.Environment{
		Client:   &cached{Client: writer, reader: cache},
		Live:     writer,
		Cache:    cache,
		Recorder: w.Events,
		Memory:   reconcile.NewMemory(),
		Clock:    w.Clock,
	}
	reconciler, err := w.build(p)
	if err != nil {
		w.t.Fatalf("set up the operator: %v", err)
	}
	p.reconciler = reconciler
	w.Operator = p
	for _, app := range w.apps { // the queue went with the process before
		app.due, app.failures = time.Time{}, 0
	}
	w.change()
}

// Restart ends the process and starts another one, which knows nothing.
func (w *World) Restart() {
	w.t.Helper()
	w.Operator.dead.Store(true)
	w.start()
}

// Upgrade restarts as the next version of the operator.
func (w *World) Upgrade() {
	w.t.Helper()
	w.version++
	w.Restart()
}

// CrashAfterWrites lets the process crash when the server has accepted its k-th
// write from now on, before it learns of that.
func (w *World) CrashAfterWrites(k int) { w.Operator.crashIn.Store(int64(k)) }

// Crash ends the process here and now.
func (p *Process) Crash() { p.dead.Store(true) }

// Crashed reports whether the process is dead.
func (w *World) Crashed() bool { return w.Operator.dead.Load() }

// cached is a client that reads from a cache.
type cached struct {
	client.Client
	reader client.Reader
}

// Get implements client.Client.
func (c *cached) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	return c.reader.Get(ctx, key, into, options...)
}

// List implements client.Client.
func (c *cached) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	return c.reader.List(ctx, list, options...)
}
