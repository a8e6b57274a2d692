package fieldcases_test

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C53: an entry is renamed, and its old child goes on serving.
// https://github.com/SeldonIO/seldon-core/issues/4316
func c53() fieldCase {
	return fieldCase{
		id:    "C53",
		shows: "without a crash: there are Deployments [other-v1 web-v1 web-v2]",
		run: func(w *world.World) {
			with := func(worker string) func(*v1.MyApp) {
				return func(app *v1.MyApp) { app.Spec.Workers = []string{worker} }
			}
			w.App("other", with("v1"))
			app := w.App("web", with("v1"))
			w.Converge()
			theirs := world.Get[appsv1.Deployment](w, "other-v1").ResourceVersion

			for k := range 6 {
				from, to := fmt.Sprintf("v%d", k+1), fmt.Sprintf("v%d", k+2)
				step := fmt.Sprintf("crash after write %d", k)
				if k == 0 {
					step = "without a crash"
				}
				old := map[string]string{
					"deployments": string(world.Get[appsv1.Deployment](w, "web-"+from).UID),
					"services":    string(world.Get[corev1.Service](w, "web-"+from).UID),
				}
				w.Mark()
				app.Change(with(to))
				w.CrashAfterWrites(k)
				settle := func() {
					w.Settle()
					if w.Crashed() {
						w.Restart()
						w.Settle()
					}
				}
				settle()
				for _, status := range []appsv1.DeploymentStatus{
					{ObservedGeneration: 1, Replicas: 1},
					{ObservedGeneration: 1, Replicas: 1, UpdatedReplicas: 1},
				} {
					w.Expect(world.Find[appsv1.Deployment](w, "web-"+from) != nil && world.Find[corev1.Service](w, "web-"+from) != nil,
						"%s: web-%s goes before web-%s is available", step, from, to)
					w.DeploymentStatus("web-"+to, status)
					settle()
				}
				w.RollOut(world.Get[appsv1.Deployment](w, "web-"+to))
				settle()
				w.Converge()

				want := []string{"other-v1", "web-" + to}
				deployments, services := workersOf(w)
				w.Expect(slices.Equal(want, deployments), "%s: there are Deployments %v", step, deployments)
				w.Expect(slices.Equal(want, services), "%s: there are Services %v", step, services)
				for resource, uid := range old {
					deletions := w.Deletions(resource)
					w.Expect(len(deletions) == 1 && deletions[0].Name == "web-"+from && deletions[0].UID == uid,
						"%s: deleted %s %v", step, resource, deletions)
				}
				w.Quiet(step, 3)
			}
			w.Same("what the other has", theirs, world.Get[appsv1.Deployment](w, "other-v1").ResourceVersion)
		},
	}
}
