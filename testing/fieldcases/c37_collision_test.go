package fieldcases_test

import (
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C37: the name of a child is taken by an object that another controller owns.
// https://github.com/kubernetes-sigs/mcp-lifecycle-operator/issues/85
//
// The Service comes after its Deployment here: it is not made while there is a
// conflict.
func c37() fieldCase {
	return fieldCase{
		id:    "C37",
		shows: "step 1: the Deployment was changed",
		run: func(w *world.World) {
			podLabels := map[string]string{"app": "web"}
			theirs := &appsv1.Deployment{
				ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.Namespace, OwnerReferences: []metav1.OwnerReference{{
					APIVersion: "other.example/v1", Kind: "Other", Name: "theirs", UID: "x1", Controller: ptr.To(true),
				}}},
				Spec: appsv1.DeploymentSpec{
					Selector: &metav1.LabelSelector{MatchLabels: podLabels},
					Template: corev1.PodTemplateSpec{
						ObjectMeta: metav1.ObjectMeta{Labels: podLabels},
						Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "other", Image: "other:1"}}},
					},
				},
			}
			w.Must(w.User.Create(w.Context(), theirs))
			app := w.App("web")
			w.Settle()
			settled := len(app.Passes)
			w.Advance(10 * time.Minute)
			now := world.Get[appsv1.Deployment](w, "web")
			w.Expect(now.ResourceVersion == theirs.ResourceVersion, "step 1: the Deployment was changed: its image is %s", now.Spec.Template.Spec.Containers[0].Image)
			ready := w.Condition("step 1", app, "Ready", metav1.ConditionFalse, world.Conflict)
			for _, word := range []string{"Deployment", "web", "Other theirs"} {
				w.Expect(strings.Contains(ready.Message, word), "step 1: the message does not tell %q: %s", word, ready.Message)
			}
			w.Expect(len(w.Events.All()) <= 1, "step 1: told %v", w.Events.All())
			w.Expect(world.Find[corev1.Service](w, "web") == nil, "step 1: a Service selects somebody else's pods")
			w.Wrote("step 1", map[string]int{"myapps": 1, "myapps/status": 1})
			w.Expect(len(app.Passes)-settled <= 10, "step 1: %d passes in 10 minutes", len(app.Passes)-settled)

			w.Mark()
			w.Delete(theirs)
			w.Converge()
			w.Same("step 2: writes of Deployments", 1, w.Count(world.WritesTo("deployments")))
			w.Expect(metav1.IsControlledBy(world.Get[appsv1.Deployment](w, "web"), app.Get()), "step 2: the Deployment is not the app's")
			w.Condition("step 2", app, "Ready", metav1.ConditionTrue, world.Available)
			w.Quiet("step 2", 3)
		},
	}
}
