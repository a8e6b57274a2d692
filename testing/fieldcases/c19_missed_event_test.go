package fieldcases_test

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C19: what nobody saw in between is never cleaned up.
// https://github.com/instaclustr/cassandra-operator/issues/398
func c19() fieldCase {
	return fieldCase{
		id:     "C19",
		trueup: func(*world.Process) pipeline { return operator.New(operator.Options{Claims: true}) },
		shows:  "claim data-b is still there",
		run: func(w *world.World) {
			app := w.S0(func(app *v1.MyApp) { app.Spec.Workers = []string{"a", "b"} })
			a, b := world.Get[corev1.PersistentVolumeClaim](w, "data-a"), world.Get[corev1.PersistentVolumeClaim](w, "data-b")

			w.Operator.Crash()
			app.Change(func(app *v1.MyApp) { app.Spec.Workers = []string{"a"} })
			w.Delete(&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web-b"}}, client.PropagationPolicy(metav1.DeletePropagationBackground))
			world.Gone[appsv1.Deployment](w, "web-b")

			w.Restart()
			w.Converge()
			if now := world.Find[corev1.PersistentVolumeClaim](w, "data-b"); now != nil && now.DeletionTimestamp == nil {
				w.Stop("claim data-b is still there")
			}
			world.Gone[corev1.PersistentVolumeClaim](w, "data-b")
			w.Converge()
			deletions := slices.Collect(func(yield func(world.Deletion) bool) {
				for _, deletion := range w.Deletions("persistentvolumeclaims") {
					if !yield(world.Deletion{Name: deletion.Name, UID: deletion.UID}) {
						return
					}
				}
			})
			w.Same("deletes of claims", []world.Deletion{{Name: "data-b", UID: string(b.UID)}}, deletions)
			w.Same("claim data-a", a.ResourceVersion, world.Get[corev1.PersistentVolumeClaim](w, "data-a").ResourceVersion)
			w.Expect(world.Find[corev1.Service](w, "web-b") == nil, "Service web-b is still there")
			now := app.Get()
			w.Same("observedGeneration", now.Generation, now.Status.ObservedGeneration)
			w.Condition("at the end", app, "Ready", metav1.ConditionTrue, world.Available)
			w.Quiet("step 2", 3)
		},
	}
}
