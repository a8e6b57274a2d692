package fieldcases_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/reconcile"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C71: the wait of one resource is kept in a field of the reconciler.
// https://github.com/pravega/zookeeper-operator/issues/103
//
// The second step has a real controller, with four workers.
func c71() fieldCase {
	return fieldCase{
		id:     "C71",
		trueup: func(p *world.Process) pipeline { return operator.New(operator.Options{Drains: p.Registry}) },
		naive: func(p *world.Process) *naive.Reconciler {
			return &naive.Reconciler{Registry: p.Registry, Faults: naive.Faults{Drains: true}}
		},
		shows: "the worker of one goes after 30s",
		run: func(w *world.World) {
			one := w.App("one", func(app *v1.MyApp) { app.Spec.Workers = []string{"a", "b"} })
			two := w.App("two", func(app *v1.MyApp) { app.Spec.Workers = []string{"a"} })
			w.Converge()
			w.Mark()

			began := w.Clock.Now()
			one.Change(func(app *v1.MyApp) { app.Spec.Workers = []string{"a"} })
			w.Settle()
			there := func() bool { return world.Find[appsv1.Deployment](w, "one-b") != nil }
			for w.Clock.Now().Sub(began) < 58*time.Second {
				for range 3 {
					two.Pass()
				}
				w.Advance(2 * time.Second)
				since := w.Clock.Now().Sub(began)
				if since == 30*time.Second {
					w.Restart()
					w.Registry.ConfirmDrain("one-b")
				}
				if since >= 30*time.Second && !there() {
					w.Stop("the worker of one goes after %s", since)
				}
			}
			w.Advance(3*time.Second + operator.DrainInterval)
			w.Expect(!there(), "the worker of one is still there after %s", w.Clock.Now().Sub(began))
			deletions := w.Deletions("deployments")
			w.Expect(len(deletions) == 1 && deletions[0].Name == "one-b", "deleted %v", deletions)
			w.Converge()
			w.Condition("step 1", one, "Ready", metav1.ConditionTrue, world.Available)
			w.Condition("step 1", two, "Ready", metav1.ConditionTrue, world.Available)
			w.Quiet("step 1", 3)

			if !w.Naive {
				many(w)
			}
		},
	}
}

// many runs a controller with four workers over 50 MyApps.
func many(w *world.World) {
	var mu sync.Mutex
	busy, overlaps, passes := map[string]int{}, 0, 0
	enter := func(name string, by int) {
		mu.Lock()
		defer mu.Unlock()
		busy[name] += by
		if by > 0 {
			passes++
			if busy[name] > 1 {
				overlaps++
			}
		}
	}
	guard := func(step string, by int) reconcile.Step[*v1.MyApp] {
		return reconcile.Func(step, func(_ context.Context, run *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
			enter(run.Object().Name, by)
			return reconcile.Continue, nil
		})
	}
	mgr := w.Manager()
	pipeline := operator.New(operator.Options{
		Before: []reconcile.Step[*v1.MyApp]{guard("enter", 1)},
		Beside: []reconcile.Step[*v1.MyApp]{guard("leave", -1)},
	})
	w.Must(pipeline.SetupWithManager(mgr, world.Workers(4)))
	w.Start(mgr)
	for i := range 50 {
		w.App(fmt.Sprintf("many-%d", i))
	}
	w.Idle()
	deployments := &appsv1.DeploymentList{}
	w.List(deployments)
	made := 0
	for i := range deployments.Items {
		if metav1.GetControllerOf(&deployments.Items[i]) != nil {
			made++
		}
	}
	w.Expect(made == 50+4, "step 2: %d Deployments, want 54", made)
	mu.Lock()
	defer mu.Unlock()
	w.Expect(overlaps == 0 && passes >= 50, "step 2: %d of %d passes overlap with one of the same key", overlaps, passes)
}
