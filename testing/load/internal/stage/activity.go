package stage

import (
	"context"
	"fmt"
	"sync"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// calm is how long nothing may happen for an operator to count as quiet. What
// follows from a write reaches it within milliseconds.
const calm = time.Second

// activity is the passes of a reconciler.
type activity struct {
	next ctrlreconcile.Reconciler

	mu      sync.Mutex
	running int
	passes  int
	last    time.Time // when the last pass ended
	err     error     // of the last pass that failed
}

// Reconcile passes on, and takes note.
func (a *activity) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	a.mu.Lock()
	a.running++
	a.mu.Unlock()
	result, err := a.next.Reconcile(ctx, req)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running--
	a.passes++
	a.last = time.Now()
	if err != nil {
		a.err = err
	}
	return result, err
}

// quietFor returns for how long there has been no pass, 0 while there is one or
// if there were fewer than asked for so far.
func (a *activity) quietFor(passes int) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running > 0 || a.passes < passes {
		return 0
	}
	return time.Since(a.last)
}

// awaitQuiet waits until there were that many passes, and then none for a while.
func (a *activity) awaitQuiet(ctx context.Context, passes int) error {
	for {
		quiet := a.quietFor(passes)
		if quiet >= calm {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until the operator is quiet: %w", a.explain(ctx.Err()))
		case <-time.After(min(calm-quiet, calm/20)):
		}
	}
}

// explain adds to an error what the last failed pass said.
func (a *activity) explain(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		return err
	}
	return fmt.Errorf("%w; the last pass that failed: %w", err, a.err)
}
