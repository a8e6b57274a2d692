package fieldcases_test

import (
	"maps"

	corev1 "k8s.io/api/core/v1"

	"github.com/trueup-dev/trueup/resources"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C51: a label that is removed from the parent stays on the Service.
// https://github.com/k8ssandra/cass-operator/issues/330
func c51() fieldCase {
	return fieldCase{
		id:    "C51",
		shows: "step 1: label b is 2",
		run: func(w *world.World) {
			app := w.S0(func(app *v1.MyApp) { app.Spec.ServiceLabels = map[string]string{"a": "1", "b": "2"} })
			fixed := world.Get[corev1.Service](w, "web").Labels
			delete(fixed, "a")
			delete(fixed, "b")
			world.Update(w, "web", func(service *corev1.Service) { service.Labels["c"] = "3" })
			w.Settle()
			w.Mark()

			check := func(step string, want map[string]string) {
				w.Converge()
				labels := world.Get[corev1.Service](w, "web").Labels
				for _, name := range []string{"a", "b", "c"} {
					w.Expect(labels[name] == want[name], "%s: label %s is %s, want %q", step, name, labels[name], want[name])
				}
				maps.Copy(want, fixed)
				w.Same(step+": labels", want, labels)
				w.Same(step+": Service writes", 1, w.Count(world.WritesTo("services")))
				w.Mark()
			}
			w.Operator.Crash()
			app.Change(func(app *v1.MyApp) { delete(app.Spec.ServiceLabels, "b") })
			w.Restart()
			check("step 1", map[string]string{"a": "1", "c": "3"})
			app.Change(func(app *v1.MyApp) { app.Spec.ServiceLabels["a"] = "9" })
			check("step 2", map[string]string{"a": "9", "c": "3"})
			app.Change(func(app *v1.MyApp) { app.Spec.ServiceLabels = nil })
			check("step 3", map[string]string{"c": "3"})
			w.Quiet("step 3", 3)
			w.Expect(w.Naive || fixed[resources.StepLabel] != "", "the operator has no label of its own")
		},
	}
}
