package fieldcases_test

import (
	"context"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/trueup-dev/trueup/reconcile"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C69: the first pass ends after it has added the finalizer, and nothing wakes the
// key.
// https://github.com/openshift/cluster-nfd-operator/pull/265
//
// The controllers are real ones, with a real cache. The library's drops the events of
// its own writes only, and no others by generation: the case asks for a pass when an
// annotation is removed, of which the generation does not tell. The second of the two
// passes is woken by the Deployment that the first has made. The Service is made when
// the Deployment is available, see C45, which is the one event that it needs: nobody
// touches the MyApp.
func c69() fieldCase {
	passes := &atomic.Int64{}
	count := reconcile.Func("count", func(context.Context, *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
		passes.Add(1)
		return reconcile.Continue, nil
	})
	return fieldCase{
		id:    "C69",
		shows: "step 1: there is no Deployment",
		run: func(w *world.World) {
			mgr := w.Manager()
			if w.Naive {
				reconciler := &naive.Reconciler{
					Client: mgr.GetClient(), Recorder: w.Events, Clock: w.Clock, Faults: naive.Faults{StopsToFinalize: true},
				}
				w.Must(ctrl.NewControllerManagedBy(mgr).Named(w.Namespace).
					For(&v1.MyApp{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
					Owns(&appsv1.Deployment{}).Complete(reconciler))
			} else {
				pipeline := operator.New(operator.Options{Before: []reconcile.Step[*v1.MyApp]{count}})
				w.Must(pipeline.SetupWithManager(mgr, world.Workers(1)))
			}
			w.Start(mgr)

			app := w.App("web")
			w.Idle()
			if world.Find[appsv1.Deployment](w, "web") == nil {
				w.Stop("step 1: there is no Deployment")
			}
			w.Expect(passes.Load() <= 2, "step 1: %d passes", passes.Load())
			w.Condition("step 1", app, "Ready", metav1.ConditionFalse, world.Progressing)
			w.Same("step 1: observedGeneration", int64(1), app.Get().Status.ObservedGeneration)
			w.RollOut(world.Get[appsv1.Deployment](w, "web"))
			w.Idle()
			w.Expect(world.Find[corev1.Service](w, "web") != nil, "step 1: there is no Service")
			w.Condition("step 1", app, "Ready", metav1.ConditionTrue, world.Available)
			w.Mark()

			app.Change(func(app *v1.MyApp) { app.Annotations = map[string]string{"paused": "true"} })
			w.Idle()
			first := w.Condition("step 2, when paused", app, "Paused", metav1.ConditionTrue, world.Any).LastTransitionTime
			w.Eventually(func() bool { return time.Since(first.Time) > time.Second }) // times in a status are in seconds
			app.Change(func(app *v1.MyApp) { app.Spec.Image = "img:2" })
			w.Idle()
			w.Wrote("step 2, while paused", map[string]int{"myapps/status": 2}) // that it is, and that it saw the image
			again := w.Condition("step 2, while paused", app, "Paused", metav1.ConditionTrue, world.Any).LastTransitionTime
			w.Expect(first.Equal(&again), "step 2: Paused since %s, and then since %s", first, again)

			app.Change(func(app *v1.MyApp) { delete(app.Annotations, "paused") })
			w.Idle()
			w.Same("step 2: image", "img:2", world.Get[appsv1.Deployment](w, "web").Spec.Template.Spec.Containers[0].Image)
		},
	}
}
