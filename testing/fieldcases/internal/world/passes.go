package world

import (
	"errors"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// App is a MyApp, and what the operator's queue has of it.
type App struct {
	// Name of the MyApp.
	Name string
	// Passes are those since the last Mark.
	Passes []Pass

	world    *World
	queued   bool
	due      time.Time // of the next timed pass, zero for none
	failures int       // passes in a row that failed and are retried
}

// Pass is what came of a pass.
type Pass struct {
	At     time.Time
	Result ctrl.Result
	Err    error
}

// Retried reports whether the pass failed such that it is tried again.
func (p Pass) Retried() bool {
	return p.Err != nil && !errors.Is(p.Err, ctrlreconcile.TerminalError(nil))
}

// Backoff of controller-runtime: from 5 ms up to 1000 s.
const (
	firstBackoff   = 5 * time.Millisecond
	longestBackoff = 1000 * time.Second
)

// Pass makes a pass over the app, whether it is queued or not.
func (a *App) Pass() Pass {
	w := a.world
	w.t.Helper()
	w.spread()
	a.queued = false
	if !a.due.IsZero() && !w.Clock.Now().Before(a.due) {
		a.due = time.Time{}
	}
	key := client.ObjectKey{Namespace: w.Namespace, Name: a.Name}
	w.working(true)
	result, err := w.Operator.reconciler.Reconcile(w.Context(), ctrl.Request{NamespacedName: key})
	w.working(false)
	pass := Pass{At: w.Clock.Now(), Result: result, Err: err}
	a.Passes = append(a.Passes, pass)
	w.trace("pass over %s: again after %s, error %v", a.Name, result.RequeueAfter, err)
	switch {
	case pass.Retried():
		a.due = soonest(a.due, pass.At.Add(min(firstBackoff<<min(a.failures, 20), longestBackoff)))
		a.failures++
	case err == nil && result.RequeueAfter > 0:
		a.failures = 0
		a.due = soonest(a.due, pass.At.Add(result.RequeueAfter))
	default:
		a.failures = 0
	}
	w.spread()
	return pass
}

func soonest(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// spread queues a pass over every app if something has changed.
func (w *World) spread() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.changed {
		return
	}
	w.changed = false
	for _, app := range w.apps {
		app.queued = true
	}
}

// Bounds of settling, which no case comes near.
const (
	maxPasses  = 40
	maxRetries = 12
)

// Settle makes passes until nothing is queued but timed ones. What failed is
// retried, as time passes, up to a dozen times.
func (w *World) Settle() {
	w.t.Helper()
	retries := 0
	for range maxPasses {
		w.spread()
		next := w.queued(retries < maxRetries)
		if next == nil || w.Crashed() {
			return
		}
		if !next.queued {
			retries++
			if w.Clock.Now().Before(next.due) {
				w.Clock.SetTime(next.due)
			}
		}
		next.Pass()
	}
	w.Stop("after %d passes there is always another: %v", maxPasses, w.Writes())
}

// queued returns an app over which a pass is to be made now.
func (w *World) queued(retry bool) *App {
	for _, app := range w.apps {
		if app.queued || retry && app.failures > 0 {
			return app
		}
	}
	return nil
}

// Advance lets time pass, with the timed passes that fall into it.
func (w *World) Advance(by time.Duration) {
	w.t.Helper()
	end := w.Clock.Now().Add(by)
	for range 10 * maxPasses {
		w.spread()
		var next *App
		for _, app := range w.apps {
			switch {
			case app.queued:
				next = app
			case app.due.IsZero() || app.due.After(end) || next != nil && (next.queued || next.due.Before(app.due)):
			default:
				next = app
			}
		}
		if next == nil || w.Crashed() {
			w.Clock.SetTime(end)
			return
		}
		if !next.queued && w.Clock.Now().Before(next.due) {
			w.Clock.SetTime(next.due)
		}
		next.Pass()
	}
	w.Stop("%s of time take more than %d passes", by, 10*maxPasses)
}

// Quiet makes n more passes over every app, two seconds apart, and expects that
// they write nothing and tell nothing.
func (w *World) Quiet(step string, n int) {
	w.t.Helper()
	w.Mark()
	for range n {
		for _, app := range w.apps {
			w.Clock.SetTime(w.Clock.Now().Add(2 * time.Second))
			if pass := app.Pass(); pass.Err != nil {
				w.Fault("%s: quiet pass: %v", step, pass.Err)
			}
		}
	}
	w.Expect(len(w.Requests.Writes()) == 0, "%s: %d quiet passes wrote %v", step, n, w.Writes())
	w.Expect(w.Count(Rejected) == 0, "%s: of %d quiet passes were rejected %v", step, n, w.Requests.All(Rejected))
	w.Expect(len(w.Events.All()) == 0, "%s: %d quiet passes told %v", step, n, w.Events.All())
	w.Mark()
}

// Errors returns the errors of the app's passes since the last Mark.
func (a *App) Errors() []error {
	var errs []error
	for _, pass := range a.Passes {
		if pass.Err != nil {
			errs = append(errs, pass.Err)
		}
	}
	return errs
}

// Timed reports whether a timed pass is to come.
func (a *App) Timed() bool { return !a.due.IsZero() }

// Due returns when the next timed pass is, in how long from now.
func (a *App) Due() time.Duration {
	if a.due.IsZero() {
		return 0
	}
	return a.due.Sub(a.world.Clock.Now())
}

// Get returns the MyApp as the server has it.
func (a *App) Get() *v1.MyApp { return Get[v1.MyApp](a.world, a.Name) }

// Change is what a user does to the MyApp.
func (a *App) Change(change func(*v1.MyApp)) {
	a.world.t.Helper()
	app := a.Get()
	before := app.DeepCopy()
	change(app)
	a.world.Must(a.world.User.Patch(a.world.Context(), app, client.MergeFrom(before)))
}
