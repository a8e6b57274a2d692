package fieldcases_test

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// C45: a Service is switched to labels that the pods do not have yet.
// https://github.com/druid-io/druid-operator/issues/318
//
// A request that the server has refused as invalid is not sent again as long as
// nothing has changed, so that somebody who has lifted what refused it says so, by
// touching an annotation of the MyApp.
func c45() fieldCase {
	label := func(p *world.Process) string {
		if p.Version == 1 {
			return ""
		}
		return "web2"
	}
	return fieldCase{
		id: "C45",
		trueup: func(p *world.Process) pipeline {
			return operator.New(operator.Options{PodLabel: label(p), Recreate: true})
		},
		naive: func(p *world.Process) *naive.Reconciler {
			return &naive.Reconciler{Look: naive.Look{PodLabel: label(p)}}
		},
		shows: "step 1: the Service selects map[app:web2]",
		run: func(w *world.World) {
			app := w.S0()
			w.On(func(request steptest.Request) bool {
				return request.Resource == "deployments" && (request.Verb == "patch" || request.Verb == "update")
			}, -1, world.Refuse(422, metav1.StatusReasonInvalid, `Deployment.apps "web" is invalid: spec.template.metadata.labels: Invalid value`,
				metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Field: "spec.template.metadata.labels"}))
			w.Upgrade()
			for range 5 {
				app.Pass()
			}
			selects := func(step, want string) {
				selector := world.Get[corev1.Service](w, "web").Spec.Selector
				w.Expect(maps.Equal(selector, map[string]string{"app": want}), "%s: the Service selects %v", step, selector)
			}
			selects("step 1", "web")
			w.Same("step 1: Service writes", 0, w.Count(world.WritesTo("services")))
			w.Same("step 1: deleted Deployments", 0, len(w.Deletions("deployments")))
			w.Condition("step 1", app, "Ready", metav1.ConditionFalse, world.Invalid)

			w.Heal()
			w.On(world.WritesTo("services"), -1, world.Before(func() {
				deployment := world.Get[appsv1.Deployment](w, "web")
				w.Expect(deployment.Spec.Selector.MatchLabels["app"] == "web2" && deployment.Status.AvailableReplicas == 2,
					"step 2: the Service is written before pods are available: %+v", deployment.Status)
			}))
			app.Change(func(app *v1.MyApp) { app.Annotations = map[string]string{"try": "again"} })
			w.Settle()
			w.Settle()
			for _, status := range []appsv1.DeploymentStatus{
				{ObservedGeneration: 1, Replicas: 1, UpdatedReplicas: 1},
				{ObservedGeneration: 1, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 1, AvailableReplicas: 1},
			} {
				w.DeploymentStatus("web", status)
				w.Settle()
				selects("step 2, while it rolls out", "web")
			}
			w.Converge()
			selects("step 2", "web2")
			w.Same("step 2: Service writes", 1, w.Count(world.WritesTo("services")))
			w.Condition("step 2", app, "Ready", metav1.ConditionTrue, world.Available)
			w.Quiet("step 2", 3)
		},
	}
}
