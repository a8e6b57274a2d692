package fieldcases_test

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C11: Ready is reported from the pods of the version before.
// https://github.com/zilliztech/milvus-operator/issues/187
func c11() fieldCase {
	return fieldCase{
		id:    "C11",
		shows: "pass 1: Ready is True",
		run: func(w *world.World) {
			app := w.S0()
			transitions := 0
			was := w.Condition("S0", app, "Ready", metav1.ConditionTrue, world.Any).LastTransitionTime
			app.Change(func(app *v1.MyApp) { app.Spec.Image = "img:2" })
			for i, status := range []appsv1.DeploymentStatus{
				{ObservedGeneration: 1, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2},
				{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 1, ReadyReplicas: 2, AvailableReplicas: 2},
				{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 2, ReadyReplicas: 3, AvailableReplicas: 3},
				{ObservedGeneration: 2, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2},
			} {
				pass := fmt.Sprintf("pass %d", i+1)
				w.Clock.SetTime(w.Clock.Now().Add(time.Second))
				if i > 0 {
					w.DeploymentStatus("web", status)
				}
				w.Mark()
				app.Pass()
				w.Wrote(pass, map[string]int{"deployments": world.AtMost(1), "myapps/status": world.AtMost(1)})
				ready, reason := metav1.ConditionFalse, world.Progressing
				if i == 3 {
					ready, reason = metav1.ConditionTrue, world.Available
				}
				is := w.Condition(pass, app, "Ready", ready, reason)
				if !is.LastTransitionTime.Equal(&was) {
					transitions++
					was = is.LastTransitionTime
				}
			}
			w.Expect(transitions == 2, "lastTransitionTime changed %d times, want 2", transitions)

			w.DeploymentStatus("web", appsv1.DeploymentStatus{
				ObservedGeneration: 2, Replicas: 2, UpdatedReplicas: 1, ReadyReplicas: 2, AvailableReplicas: 2,
				Conditions: []appsv1.DeploymentCondition{{
					Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded",
				}},
			})
			app.Pass()
			w.Condition("past the deadline", app, "Ready", metav1.ConditionFalse, world.Stalled)
		},
	}
}
