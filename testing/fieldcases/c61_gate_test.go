package fieldcases_test

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C61: a corrected spec is not applied, because the broken one is not ready.
// https://github.com/OT-CONTAINER-KIT/redis-operator/issues/480
//
// What no node satisfies is a node selector here.
func c61() fieldCase {
	return fieldCase{
		id: "C61",
		naive: func(*world.Process) *naive.Reconciler {
			return &naive.Reconciler{Faults: naive.Faults{WaitsToApply: true}}
		},
		shows: "step 2: the Deployment still has node selector",
		run: func(w *world.World) {
			app := w.S0()
			app.Change(func(app *v1.MyApp) { app.Spec.NodeSelector = map[string]string{"zone": "nowhere"} })
			app.Pass()
			// The old pods serve still; the new one finds no node.
			stuck := appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 1, ReadyReplicas: 2, AvailableReplicas: 2,
				Conditions: []appsv1.DeploymentCondition{{
					Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "ReplicaSetUpdated",
				}},
			}
			w.DeploymentStatus("web", stuck)
			w.Mark()
			for range 3 {
				app.Pass()
			}
			w.Condition("step 1", app, "Ready", metav1.ConditionFalse, world.Progressing)
			w.Same("step 1: observedGeneration", int64(2), app.Get().Status.ObservedGeneration)
			stuck.Conditions = []appsv1.DeploymentCondition{{
				Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded",
			}}
			w.DeploymentStatus("web", stuck)
			app.Pass()
			w.Condition("past the deadline", app, "Ready", metav1.ConditionFalse, world.Stalled)
			w.Same("past the deadline: observedGeneration", int64(2), app.Get().Status.ObservedGeneration)
			w.Wrote("step 1", map[string]int{"myapps/status": world.AtMost(2)}) // that it progresses, and that it is stalled
			w.Mark()

			app.Change(func(app *v1.MyApp) { app.Spec.NodeSelector = nil })
			app.Pass()
			selector := world.Get[appsv1.Deployment](w, "web").Spec.Template.Spec.NodeSelector
			w.Expect(len(selector) == 0, "step 2: the Deployment still has node selector %v", selector)
			w.Wrote("step 2", map[string]int{"deployments": 1, "myapps/status": world.AtMost(1)})
			w.Same("step 2: observedGeneration", int64(3), app.Get().Status.ObservedGeneration)

			w.Converge()
			w.Condition("step 3", app, "Ready", metav1.ConditionTrue, world.Available)
		},
	}
}
