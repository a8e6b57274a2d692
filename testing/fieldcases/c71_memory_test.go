package fieldcases_test

import (
	"context"
	"fmt"
	"slices"
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
// The second step has a real controller, with four workers, and its clock: there a
// worker goes as soon as it has nothing left to do.
func c71() fieldCase {
	return fieldCase{
		id:     "C71",
		trueup: func(p *world.Process) pipeline { return operator.New(operator.Options{Drains: p.Registry}) },
		naive: func(p *world.Process) *naive.Reconciler {
			return &naive.Reconciler{Registry: p.Registry, Faults: naive.Faults{Drains: true}}
		},
		shows: "the worker b of one goes after 1s",
		run: func(w *world.World) {
			one := w.App("one", func(app *v1.MyApp) { app.Spec.Workers = []string{"a", "b", "c"} })
			two := w.App("two", func(app *v1.MyApp) { app.Spec.Workers = []string{"a"} })
			w.Converge()

			leaves := leaving{w: w, one: one, two: two}
			// Confirmed early, it goes after a minute, and else when it is confirmed.
			leaves.goes([]string{"a", "c"}, "b", 30*time.Second, time.Minute)
			leaves.goes([]string{"a"}, "c", 90*time.Second, 90*time.Second)

			if !w.Naive {
				many(w)
			}
		},
	}
}

// leaving is the first step of C71: workers of one leave, and two is busy.
type leaving struct {
	w        *world.World
	one, two *world.App
}

// goes takes a worker out, and expects that it goes at the given time after that, but
// for the interval at which it is looked at. The operator is restarted in between.
func (l *leaving) goes(left []string, worker string, confirmed, at time.Duration) {
	w, name := l.w, "one-"+worker
	w.Mark()
	began := w.Clock.Now()
	since := func() time.Duration { return w.Clock.Now().Sub(began) }
	var deleted []time.Duration
	w.On(func(request request) bool { return request.Verb == "delete" && request.Resource == "deployments" }, -1,
		world.Before(func() { deleted = append(deleted, since()) }))
	l.one.Change(func(app *v1.MyApp) { app.Spec.Workers = left })
	w.Settle()
	w.Expect(slices.Contains(w.Registry.Drains(), name), "drains are asked of %v", w.Registry.Drains())
	for since() < at+operator.DrainInterval {
		for range 3 {
			l.two.Pass()
		}
		w.Advance(time.Second)
		if since() == 30*time.Second {
			w.Restart()
		}
		if since() == confirmed {
			w.Registry.ConfirmDrain(name)
		}
		if since() < at && world.Find[appsv1.Deployment](w, name) == nil {
			w.Stop("the worker %s of one goes after %s", worker, since())
		}
	}
	w.Expect(world.Find[appsv1.Deployment](w, name) == nil, "the worker %s is still there after %s", worker, since())
	w.Expect(len(deleted) == 1 && deleted[0] >= at && deleted[0] <= at+operator.DrainInterval, "%s is deleted after %v, want %s", name, deleted, at)
	deletions := w.Deletions("deployments")
	w.Expect(len(deletions) == 1 && deletions[0].Name == name, "deleted %v", deletions)
	w.Heal()
	w.Converge()
	w.Condition("step 1", l.one, "Ready", metav1.ConditionTrue, world.Available)
	w.Condition("step 1", l.two, "Ready", metav1.ConditionTrue, world.Available)
	w.Quiet("step 1", 3)
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
		Drains: w.Operator.Registry, Hasty: true,
		Before: []reconcile.Step[*v1.MyApp]{guard("enter", 1)},
		Beside: []reconcile.Step[*v1.MyApp]{guard("leave", -1)},
	})
	w.Must(pipeline.SetupWithManager(mgr, world.Workers(4)))
	w.Start(mgr)
	apps := make([]*world.App, 50)
	for i := range apps {
		apps[i] = w.App(fmt.Sprintf("many-%d", i), func(app *v1.MyApp) { app.Spec.Workers = []string{"a"} })
	}
	w.Idle()
	w.Same("step 2: Deployments", 4+2*len(apps), controlledDeployments(w))
	w.Mark()
	for _, app := range apps {
		app.Change(func(app *v1.MyApp) { app.Spec.Workers = nil })
	}
	w.Idle()
	w.Same("step 2: Deployments while they drain", 4+2*len(apps), controlledDeployments(w))
	for _, app := range apps {
		w.Expect(slices.Contains(w.Registry.Drains(), app.Name+"-a"), "step 2: no drain is asked of the worker of %s", app.Name)
		w.Registry.ConfirmDrain(app.Name + "-a")
		app.Change(func(app *v1.MyApp) { app.Annotations = map[string]string{"look": "again"} })
	}
	w.Eventually(func() bool { return controlledDeployments(w) == 4+len(apps) })
	w.Idle()
	w.Same("step 2: Deployments in the end", 4+len(apps), controlledDeployments(w))
	w.Same("step 2: deleted", len(apps), len(w.Deletions("deployments")))
	mu.Lock()
	defer mu.Unlock()
	w.Expect(overlaps == 0 && passes >= 3*len(apps), "step 2: %d of %d passes overlap with one of the same key", overlaps, passes)
}

// controlledDeployments returns how many Deployments belong to some MyApp.
func controlledDeployments(w *world.World) int {
	deployments := &appsv1.DeploymentList{}
	w.List(deployments)
	made := 0
	for i := range deployments.Items {
		if metav1.GetControllerOf(&deployments.Items[i]) != nil {
			made++
		}
	}
	return made
}
