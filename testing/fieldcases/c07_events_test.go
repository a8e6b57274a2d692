package fieldcases_test

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C07: events are told in every pass.
// https://github.com/VictoriaMetrics/operator/issues/2113
func c07() fieldCase {
	return fieldCase{
		id: "C07",
		naive: func(*world.Process) *naive.Reconciler {
			return &naive.Reconciler{Faults: naive.Faults{Chatters: true}}
		},
		shows: "quiet passes told [Normal Started",
		run: func(w *world.World) {
			app := w.S0()
			for range 3 {
				w.Restart()
				w.Converge()
			}
			w.Expect(len(w.Events.All()) == 0, "step 1: restarts told %v", w.Events.All())
			w.Quiet("step 1", 20)

			w.On(world.WritesTo("services"), 50, world.Refuse(403, metav1.StatusReasonForbidden,
				`services "web" is forbidden: User "operator" cannot patch resource "services"`))
			app.Change(func(app *v1.MyApp) { app.Spec.ExtraPorts = []v1.Port{{Name: "b", Port: 9000}} })
			for range 50 {
				app.Pass()
				w.Clock.SetTime(w.Clock.Now().Add(app.Due()))
			}
			w.Wrote("step 2", map[string]int{"services": 50, "myapps/status": 1})
			told := slices.Compact(slices.Sorted(slices.Values(w.Events.All())))
			w.Expect(len(told) <= 1, "step 2: 50 attempts told %d events, such as %v", len(told), told)
			w.Condition("step 2", app, "Ready", metav1.ConditionFalse, world.ApplyFailed)
			w.Mark()

			w.Settle()
			normal := slices.DeleteFunc(w.Events.All(), func(event string) bool { return !strings.HasPrefix(event, "Normal ") })
			w.Expect(len(w.Events.All()) <= 1 && len(normal) <= 1, "step 3: the recovery told %v", w.Events.All())
			w.Condition("step 3", app, "Ready", metav1.ConditionTrue, world.Available)
		},
	}
}
