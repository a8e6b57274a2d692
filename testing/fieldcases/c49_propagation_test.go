package fieldcases_test

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C49: annotations of tools are copied from the parent to its children.
// https://github.com/prometheus-operator/prometheus-operator/issues/1725
func c49() fieldCase {
	return fieldCase{
		id:    "C49",
		shows: "step 1: a child has the annotation kubectl.kubernetes.io/last-applied-configuration",
		run: func(w *world.World) {
			app := w.S0(func(app *v1.MyApp) {
				app.Labels = map[string]string{"applied-by": "ci"}
				app.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "{}", "team": "a"}
			})
			template := world.Get[appsv1.Deployment](w, "web").Spec.Template
			check := func(step, team string) {
				deployment := world.Get[appsv1.Deployment](w, "web")
				for _, child := range []client.Object{deployment, world.Get[corev1.Service](w, "web")} {
					w.Same(step+": team", team, child.GetAnnotations()["team"])
					_, has := child.GetAnnotations()["team"]
					w.Expect(has == (team != ""), "%s: there is an empty team", step)
					for key := range child.GetAnnotations() {
						w.Expect(!strings.HasPrefix(key, "kubectl.kubernetes.io/"), "%s: a child has the annotation %s", step, key)
					}
					w.Expect(child.GetLabels()["applied-by"] == "", "%s: a child has the label applied-by", step)
				}
				w.Same(step+": pod template", template, deployment.Spec.Template)
				w.Mark()
			}
			check("step 1", "a")

			app.Change(func(app *v1.MyApp) { app.Annotations["team"] = "b" })
			w.Converge()
			w.Wrote("step 2", map[string]int{"deployments": 1, "services": 1, "myapps/status": world.Some})
			check("step 2", "b")

			app.Change(func(app *v1.MyApp) { delete(app.Annotations, "team") })
			w.Converge()
			w.Wrote("step 3", map[string]int{"deployments": 1, "services": 1, "myapps/status": world.Some})
			check("step 3", "")
		},
	}
}
