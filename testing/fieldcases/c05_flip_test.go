package fieldcases_test

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C05: a condition flips within one pass and is restored before its end.
// https://github.com/knative/pkg/issues/1394
//
// The steps here mark Ready themselves, one after the other, in status steps: that
// is where the library lets a step set a condition.
func c05() fieldCase {
	failing := false
	flip := func(name string, status_ metav1.ConditionStatus, reason string) reconcile.Step[*v1.MyApp] {
		return status.Func(func(app *v1.MyApp, run *reconcile.Run[*v1.MyApp]) {
			meta.SetStatusCondition(&app.Status.Conditions, metav1.Condition{
				Type: "Ready", Status: status_, Reason: reason, LastTransitionTime: metav1.NewTime(run.Now()),
			})
		}).Named(name)
	}
	last := reconcile.Func("last", func(context.Context, *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
		if failing {
			return reconcile.Continue, errors.New("it does not work")
		}
		return reconcile.Continue, nil
	})
	return fieldCase{
		id: "C05",
		trueup: func(*world.Process) pipeline {
			return operator.New(operator.Options{
				Before: []reconcile.Step[*v1.MyApp]{flip("first", metav1.ConditionFalse, "Working")},
				Beside: []reconcile.Step[*v1.MyApp]{last},
			})
		},
		naive: func(*world.Process) *naive.Reconciler {
			return &naive.Reconciler{Faults: naive.Faults{Flips: true}}
		},
		shows: "update myapps/status",
		run: func(w *world.World) {
			app := w.S0()
			stored := app.Get()
			before := w.Condition("S0", app, "Ready", metav1.ConditionTrue, world.Available)
			w.Quiet("step 1", 5)
			after := w.Condition("step 1", app, "Ready", metav1.ConditionTrue, world.Available)
			w.Same("step 1: lastTransitionTime", before.LastTransitionTime, after.LastTransitionTime)
			w.Same("step 1: what a watcher sees", stored.ResourceVersion, app.Get().ResourceVersion)

			failing = true
			for range 3 {
				app.Pass()
			}
			w.Wrote("the last step fails", map[string]int{"myapps/status": 1})
			failed := w.Condition("the last step fails", app, "Ready", metav1.ConditionFalse, world.ApplyFailed)
			w.Expect(before.LastTransitionTime.Before(&failed.LastTransitionTime),
				"lastTransitionTime is %s still", failed.LastTransitionTime)
		},
	}
}
