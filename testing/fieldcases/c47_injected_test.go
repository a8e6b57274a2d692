package fieldcases_test

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C47: a rolling restart and an injected container are undone.
// https://github.com/open-telemetry/opentelemetry-operator/issues/1300
func c47() fieldCase {
	const restarted = "kubectl.kubernetes.io/restartedAt"
	return fieldCase{
		id:    "C47",
		shows: "step 1: the restart is undone",
		run: func(w *world.World) {
			app := w.S0()
			injected := world.Update(w, "web", func(deployment *appsv1.Deployment) {
				template := &deployment.Spec.Template
				template.Annotations = map[string]string{restarted: "2026-01-01T00:00:00Z"}
				template.Spec.Containers = append(template.Spec.Containers, corev1.Container{Name: "proxy", Image: "proxy:1"})
			})
			check := func(step string, writes int, generation int64) *appsv1.Deployment {
				w.Converge()
				now := world.Get[appsv1.Deployment](w, "web")
				w.Expect(now.Spec.Template.Annotations[restarted] != "", "%s: the restart is undone", step)
				w.Expect(len(now.Spec.Template.Spec.Containers) == 2, "%s: the container is gone", step)
				w.Wrote(step, map[string]int{"deployments": writes, "myapps/status": world.Some})
				w.Same(step+": generation", generation, now.Generation)
				w.Mark()
				return now
			}
			check("step 1", 0, 2)
			w.Quiet("step 1", 5)

			app.Change(func(app *v1.MyApp) { app.Spec.Replicas = ptr.To[int32](3) })
			injected.Spec.Replicas = ptr.To[int32](3)
			w.Same("step 2: what differs beside the replicas", injected.Spec, check("step 2", 1, 3).Spec)

			app.Change(func(app *v1.MyApp) { app.Spec.Image = "img:2" })
			injected.Spec.Template.Spec.Containers[0].Image = "img:2"
			w.Same("step 3: what differs beside the image", injected.Spec, check("step 3", 1, 4).Spec)
		},
	}
}
