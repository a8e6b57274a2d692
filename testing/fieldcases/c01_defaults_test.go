package fieldcases_test

import (
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C01: a Deployment is written in every pass, because the server fills in defaults.
// https://github.com/paperclipinc/openclaw-operator/pull/29
func c01() fieldCase {
	return fieldCase{
		id:     "C01",
		trueup: func(*world.Process) pipeline { return operator.New(operator.Options{Probed: true}) },
		naive:  func(*world.Process) *naive.Reconciler { return &naive.Reconciler{Look: naive.Look{Probed: true}} },
		shows:  "step 1: 10 quiet passes wrote [update",
		run: func(w *world.World) {
			app := w.S0(func(app *v1.MyApp) { app.Spec.SecretName = "creds" })
			first := world.Get[appsv1.Deployment](w, "web")

			w.Quiet("step 1", 10)
			same := world.Get[appsv1.Deployment](w, "web")
			w.Same("step 1: generation and resourceVersion", []any{int64(1), first.ResourceVersion}, []any{same.Generation, same.ResourceVersion})

			app.Change(func(app *v1.MyApp) { app.Spec.Image = "img:2" })
			w.Converge()
			w.Wrote("step 2", map[string]int{"deployments": 1, "myapps/status": world.Some})
			now := world.Get[appsv1.Deployment](w, "web")
			w.Expect(now.Generation == 2, "step 2: the Deployment's generation is %d, want 2", now.Generation)
			first.Spec.Template.Spec.Containers[0].Image = "img:2"
			w.Same("step 2: what differs beside the image", first.Spec, now.Spec, cmpopts.EquateEmpty())

			pod := now.Spec.Template.Spec
			w.Expect(now.Spec.Strategy.RollingUpdate != nil && now.Spec.Strategy.RollingUpdate.MaxSurge.StrVal == "25%",
				"the default of the strategy is gone: %+v", now.Spec.Strategy)
			if len(pod.Volumes) == 1 && pod.Containers[0].ReadinessProbe != nil {
				w.Expect(pod.Containers[0].ReadinessProbe.TimeoutSeconds == 1, "the default of the probe is gone")
				w.Expect(*pod.Volumes[0].Secret.DefaultMode == 420, "the default of the volume is gone")
			} else {
				w.Fault("there are no probe and volume: %+v", pod)
			}
			w.Quiet("step 3", 5)
		},
	}
}
