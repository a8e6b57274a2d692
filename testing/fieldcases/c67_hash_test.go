package fieldcases_test

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C67: metadata of a ConfigMap makes pods start anew.
// https://github.com/openshift/console-operator/pull/1217
func c67() fieldCase {
	return fieldCase{
		id: "C67",
		naive: func(*world.Process) *naive.Reconciler {
			return &naive.Reconciler{Faults: naive.Faults{HashesVersion: true}}
		},
		shows: "step 1: the Deployment's generation is 2",
		run: func(w *world.World) {
			app := w.S0(func(app *v1.MyApp) { app.Spec.ConfigData = map[string]string{"a": "1", "b": "2"} })
			hash := func() string {
				return world.Get[appsv1.Deployment](w, "web").Spec.Template.Annotations[operator.HashAnnotation]
			}
			stays := func(step string) {
				w.Converge()
				generation := world.Get[appsv1.Deployment](w, "web").Generation
				w.Expect(generation == 1, "%s: the Deployment's generation is %d", step, generation)
				w.Same(step+": Deployment writes", 0, w.Count(world.WritesTo("deployments")))
				w.Same(step+": data", map[string]string{"a": "1", "b": "2"}, world.Get[corev1.ConfigMap](w, "web-config").Data)
				w.Mark()
			}
			first := hash()
			world.Update(w, "web-config", func(config *corev1.ConfigMap) { config.Labels = map[string]string{"touched": "1"} })
			stays("step 1")
			w.Delete(world.Get[corev1.ConfigMap](w, "web-config"))
			stays("step 2")
			w.Same("step 2: hash", first, hash())

			app.Change(func(app *v1.MyApp) { app.Spec.ConfigData["a"] = "9" })
			w.Converge()
			effects := w.Effects()
			w.Expect(len(effects) > 1 && effects[0] == "apply configmaps web-config" && effects[1] == "apply deployments web", "step 3: wrote %v", effects)
			w.Same("step 3: Deployment writes", 1, w.Count(world.WritesTo("deployments")))
			second := hash()
			w.Expect(second != first, "step 3: the hash is the same")
			w.Quiet("step 3", 3)

			app.Change(func(app *v1.MyApp) { app.Spec.ConfigData["a"] = "10" })
			w.CrashAfterWrites(1)
			w.Settle()
			w.Same("step 4: data before the crash", "10", world.Get[corev1.ConfigMap](w, "web-config").Data["a"])
			w.Same("step 4: hash before the crash", second, hash())
			w.Restart()
			w.Converge()
			w.Expect(hash() != second, "step 4: the hash is the same")
			stored := world.Get[corev1.ConfigMap](w, "web-config").Data
			w.Same("step 4: data", map[string]string{"a": "10", "b": "2"}, stored)
			w.Expect(w.Naive || hash() == operator.Hash(stored), "step 4: the hash is not that of the stored ConfigMap: %s", hash())
			// Back to what was before, to see that the hash is one of the content.
			app.Change(func(app *v1.MyApp) { app.Spec.ConfigData["a"] = "9" })
			w.Converge()
			w.Same("the hash of the content before", second, hash())
		},
	}
}
