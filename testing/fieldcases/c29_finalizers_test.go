package fieldcases_test

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C29: finalizers of other controllers are removed, or added again.
// https://github.com/tigera/operator/issues/3480
func c29() fieldCase {
	const protect = "other.io/protect"
	mark := func(object client.Object) {
		object.SetFinalizers(append(object.GetFinalizers(), protect))
		all := object.GetLabels()
		if all == nil {
			all = map[string]string{}
		}
		all["other"] = "1"
		object.SetLabels(all)
	}
	return fieldCase{
		id:    "C29",
		shows: "step 1: the Deployment has finalizers []",
		run: func(w *world.World) {
			app := w.S0()
			world.Update(w, "web", func(deployment *appsv1.Deployment) { mark(deployment) })
			app.Change(func(app *v1.MyApp) { mark(app); app.Spec.Image = "img:2" })
			w.Converge()
			deployment := world.Get[appsv1.Deployment](w, "web")
			w.Expect(slices.Equal(deployment.Finalizers, []string{protect}), "step 1: the Deployment has finalizers %v", deployment.Finalizers)
			w.Expect(deployment.Labels["other"] == "1", "step 1: the Deployment's label is gone")
			w.Same("step 1: Deployment writes", 1, w.Count(world.WritesTo("deployments")))
			w.Quiet("step 1", 5)

			// The cache has not seen the deletion, then it has, but not what came after.
			w.Stale(&v1.MyAppList{})
			w.Must(w.User.Delete(w.Context(), app.Get(), client.PropagationPolicy(metav1.DeletePropagationForeground)))
			app.Pass()
			w.Stale(&v1.MyAppList{})
			app.Change(func(app *v1.MyApp) { app.Labels["other"] = "2" })
			app.Pass()
			w.CatchUp()
			w.Settle()
			now := app.Get()
			slices.Sort(now.Finalizers)
			w.Same("step 2: finalizers", []string{metav1.FinalizerDeleteDependents, protect}, now.Finalizers)
			w.Expect(now.Labels["other"] == "2", "step 2: the label of the MyApp is %q", now.Labels["other"])
			w.Same("step 2: rejected requests", 0, w.Count(world.Rejected))
			w.Expect(len(app.Errors()) == 0, "step 2: passes failed: %v", app.Errors())
		},
	}
}
