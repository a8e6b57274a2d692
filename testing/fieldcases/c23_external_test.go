package fieldcases_test

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C23: an external object is created, and its identifier is not saved.
// https://github.com/crossplane/crossplane-runtime/issues/277
//
// The intent is a token with the MyApp's UID in it, stored together with the
// finalizer; the id is stored in an annotation at once, and copied to the status.
func c23() fieldCase {
	return fieldCase{
		id: "C23",
		trueup: func(p *world.Process) pipeline {
			entry := finalizer.External("myapp.example/registry", system{p.Registry})
			if p.Registry.Unlisted {
				entry.ByIDOnly()
			}
			return operator.New(operator.Options{
				Before: []reconcile.Step[*v1.MyApp]{entry},
				Beside: []reconcile.Step[*v1.MyApp]{status.Func(func(app *v1.MyApp, run *reconcile.Run[*v1.MyApp]) {
					if thing, ok := entry.Observed(run); ok {
						app.Status.RegistryID = thing.ID
					}
				}).Named("registry-id")},
			})
		},
		naive: func(p *world.Process) *naive.Reconciler {
			return &naive.Reconciler{Registry: p.Registry, Faults: naive.Faults{Registers: true}}
		},
		shows: "first run: the Registry has 2 entries",
		run: func(w *world.World) {
			crash := func(name string) *world.App {
				w.Registry.AfterCreate = func() { w.Operator.Crash() }
				app := w.App(name)
				w.Stale(&v1.MyAppList{})
				app.Pass()
				w.Expect(w.Crashed(), "%s: the operator does not register it", name)
				w.Registry.AfterCreate = nil
				w.Restart()
				app.Pass() // with a cache that has seen nothing of all this
				w.CatchUp()
				w.Converge()
				return app
			}
			app := crash("web")
			effects := w.Effects()
			w.Expect(len(w.Registry.Members()) == 1, "first run: the Registry has %d entries", len(w.Registry.Members()))
			w.Expect(len(effects) > 2 && effects[0] == "patch myapps web" && effects[1] == "Registry.Create" && effects[2] == "patch myapps web",
				"first run: the order of effects is %s", strings.Join(effects, ", "))
			creates, _ := w.Registry.Calls()
			w.Same("first run: accepted creates", 1, creates)
			w.Same("first run: id", w.Registry.Members(), []string{app.Get().Status.RegistryID})
			w.Condition("first run", app, "Ready", metav1.ConditionTrue, world.Available)
			w.Quiet("first run", 3)

			w.Registry.Unlisted = true
			w.Restart()
			again := crash("again")
			for range 3 {
				again.Pass()
			}
			creates, _ = w.Registry.Calls()
			w.Same("second run: accepted creates", 2, creates) // one of each run
			w.Condition("second run", again, "Ready", metav1.ConditionFalse, world.OutcomeUnknown)
			w.Expect(!again.Timed(), "second run: it will be tried again in %s", again.Due())

			// A person looks and says which one it is.
			id, _ := w.Registry.IDOf(string(again.Get().UID))
			again.Change(func(app *v1.MyApp) { app.Annotations["myapp.example/registry-id"] = id })
			w.Converge()
			w.Condition("cleared", again, "Ready", metav1.ConditionTrue, world.Available)
			w.Same("cleared: id", id, again.Get().Status.RegistryID)
		},
	}
}

// system is the Registry as the library sees it.
type system struct{ registry *world.Connection }

// Observe implements finalizer.System.
func (s system) Observe(_ context.Context, _ *reconcile.Run[*v1.MyApp], at finalizer.Identity) (*finalizer.Thing[string], error) {
	id, err := at.ID, error(nil)
	if id == "" {
		id, err = s.registry.Find(at.Token)
	}
	if err != nil || id == "" {
		return nil, err
	}
	return &finalizer.Thing[string]{ID: id}, nil
}

// Create implements finalizer.System.
func (s system) Create(_ context.Context, _ *reconcile.Run[*v1.MyApp], token string) (string, error) {
	return s.registry.Create(token)
}

// Matches implements finalizer.System.
func (s system) Matches(*reconcile.Run[*v1.MyApp], string) bool { return true }

// Update implements finalizer.System.
func (s system) Update(context.Context, *reconcile.Run[*v1.MyApp], finalizer.Identity, string) error {
	return nil
}

// Delete implements finalizer.System.
func (s system) Delete(_ context.Context, _ *reconcile.Run[*v1.MyApp], at finalizer.Identity) error {
	return s.registry.Delete(at.Token)
}
