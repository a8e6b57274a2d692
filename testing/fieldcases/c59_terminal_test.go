package fieldcases_test

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C59: a spec that can never be valid is retried for ever.
// https://github.com/openshift/cluster-network-operator/issues/70
//
// The pass that follows its own status write is the second of the two that the case
// allows. What the server refuses as invalid has the reason Invalid, which is the
// server's word for it. Where the case asks for a metric or a log, the event is looked
// at, which is told once and is what a user sees; metrics and logs of a pass are
// controller-runtime's.
func c59() fieldCase {
	return fieldCase{
		id:    "C59",
		shows: "passes failed, and one is to come: true",
		run: func(w *world.World) {
			app := w.S0()
			invalid := func(step string, reason world.Reason, want map[string]int) {
				w.Settle()
				failed := len(app.Errors())
				w.Expect(failed >= 1 && failed <= 2 && !app.Timed(), "%s: %d passes failed, and one is to come: %v", step, failed, app.Timed())
				passes := len(app.Passes)
				w.Advance(10 * time.Minute)
				w.Expect(len(app.Passes) == passes, "%s: %d more passes in 10 minutes", step, len(app.Passes)-passes)
				w.Condition(step, app, "Ready", metav1.ConditionFalse, reason)
				w.Expect(app.Get().Status.ObservedGeneration == app.Get().Generation, "%s: observedGeneration is %d", step, app.Get().Status.ObservedGeneration)
				w.Wrote(step, want)
				w.Expect(len(w.Events.All()) == 1, "%s: told %v, want the failure once", step, w.Events.All())
				w.Mark()
			}
			app.Change(func(app *v1.MyApp) { app.Spec.Image = "" })
			invalid("step 1", world.InvalidSpec, map[string]int{"myapps/status": 1})
			corrected := func(change func(*v1.MyApp)) {
				app.Change(change)
				w.Converge()
				w.Expect(len(app.Errors()) == 0, "step 3: passes failed: %v", app.Errors())
				w.Condition("step 3", app, "Ready", metav1.ConditionTrue, world.Available)
				w.Mark()
			}
			corrected(func(app *v1.MyApp) { app.Spec.Image = "img:1" })

			app.Change(func(app *v1.MyApp) {
				app.Spec.NodeSelector = map[string]string{"zone": "not a label"}
			})
			invalid("step 2", world.Invalid, map[string]int{"myapps/status": 1, "deployments": world.AtMost(1)})

			corrected(func(app *v1.MyApp) { app.Spec.NodeSelector = map[string]string{"zone": "a"} })

			for i, refused := range []struct {
				name   string
				answer world.Answer
			}{
				{"403", world.Refuse(403, metav1.StatusReasonForbidden, "forbidden")},
				{"409", world.Refuse(409, metav1.StatusReasonConflict, "conflict")},
				{"429", world.Refuse(429, metav1.StatusReasonTooManyRequests, "slow down")},
				{"500", world.Refuse(500, metav1.StatusReasonInternalError, "broken")},
				{"timeout", world.TimeOut},
			} {
				w.Mark()
				w.On(world.WritesTo("deployments"), -1, refused.answer)
				app.Change(func(app *v1.MyApp) { app.Spec.Image = fmt.Sprintf("img:%d", i+2) })
				app.Pass()
				pass := app.Pass()
				w.Expect(pass.Retried() && app.Timed(), "step 4: %s: the pass is not retried: %v", refused.name, pass.Err)
				is := w.Condition("step 4: "+refused.name, app, "Ready", metav1.ConditionFalse, world.Any)
				w.Expect(is.Reason != "InvalidSpec" && is.Reason != "Invalid", "step 4: %s has the reason %s", refused.name, is.Reason)
				w.Expect(w.Count(world.WritesTo("deployments")) >= 2, "step 4: %s: it is not tried again: %v", refused.name, w.Writes())
				w.Heal()
				w.Converge()
				w.Condition("step 4: after "+refused.name, app, "Ready", metav1.ConditionTrue, world.Available)
			}
		},
	}
}
