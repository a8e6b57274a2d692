package fieldcases_test

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C55: success is reported while the child is missing.
// https://github.com/Altinity/clickhouse-operator/issues/1995
//
// Somebody's finalizer keeps the old Deployment for a while. What the pass waits for
// then is a watch event of the Deployment, which is as good as a timed retry, and is
// what Settle goes by; the pass returns neither an error nor a time.
func c55() fieldCase {
	label := func(p *world.Process) string {
		if p.Version == 1 {
			return ""
		}
		return "web2"
	}
	return fieldCase{
		id: "C55",
		trueup: func(p *world.Process) pipeline {
			return operator.New(operator.Options{PodLabel: label(p), Recreate: true})
		},
		naive: func(p *world.Process) *naive.Reconciler {
			return &naive.Reconciler{Faults: naive.Faults{Recreates: true, GivesUp: true}, Look: naive.Look{PodLabel: label(p)}}
		},
		shows: "while it is being deleted: Ready is True",
		run: func(w *world.World) {
			app := w.S0()
			old := world.Update(w, "web", func(deployment *appsv1.Deployment) { deployment.Finalizers = []string{"other.io/hold"} })
			w.Settle()
			w.Mark()

			app.Change(func(app *v1.MyApp) { app.Spec.Image = "img:2" })
			w.Upgrade()
			w.On(func(request request) bool { return world.WritesTo("deployments")(request) && request.Verb == "delete" }, 1, world.LoseAnswer)
			app.Pass()
			w.Expect(app.Passes[0].Err != nil, "the pass whose delete timed out has no error")
			for range 2 {
				w.Clock.SetTime(w.Clock.Now().Add(time.Second))
				app.Pass()
				now := app.Get()
				if meta.IsStatusConditionTrue(now.Status.Conditions, "Ready") {
					w.Fault("while it is being deleted: Ready is True, at observedGeneration %d", now.Status.ObservedGeneration)
				}
			}
			w.Condition("while it is being deleted", app, "Ready", metav1.ConditionFalse, world.Recreating)

			world.Update(w, "web", func(deployment *appsv1.Deployment) { deployment.Finalizers = nil })
			w.Settle()
			now := world.Find[appsv1.Deployment](w, "web")
			if now == nil || now.UID == old.UID {
				w.Stop("the Deployment is not made again")
			}
			w.Condition("while it rolls out", app, "Ready", metav1.ConditionFalse, world.Progressing)
			w.Converge()
			w.Condition("at the end", app, "Ready", metav1.ConditionTrue, world.Available)
			creates := w.Count(world.WritesTo("deployments"), world.Verb("create", "apply"), world.Accepted)
			w.Same("accepted creates", 1, creates)
			all := &appsv1.DeploymentList{}
			w.List(all)
			w.Same("Deployments at the end", 1, len(all.Items))
		},
	}
}
