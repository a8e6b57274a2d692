package fieldcases_test

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C17: an old view of a dying worker makes the volume of the new worker go.
// https://github.com/instaclustr/cassandra-operator/issues/407
func c17() fieldCase {
	return fieldCase{
		id:     "C17",
		trueup: func(*world.Process) pipeline { return operator.New(operator.Options{Claims: true}) },
		shows:  "step 1: deletes of claims",
		run: func(w *world.World) {
			app := w.S0(func(app *v1.MyApp) { app.Spec.Workers = []string{"a", "b"} })
			old := world.Get[appsv1.Deployment](w, "web-b")
			old.DeletionTimestamp = ptr.To(metav1.NewTime(w.Clock.Now()))
			old.DeletionGracePeriodSeconds = ptr.To[int64](0)

			// Worker b goes, by whatever hand, and comes back.
			w.Delete(&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web-b"}}, client.PropagationPolicy(metav1.DeletePropagationBackground))
			w.Delete(&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data-b"}})
			world.Gone[corev1.PersistentVolumeClaim](w, "data-b")
			w.Converge()
			claim, worker := world.Get[corev1.PersistentVolumeClaim](w, "data-b"), world.Get[appsv1.Deployment](w, "web-b")
			w.Expect(worker.UID != old.UID, "worker b has not come back")

			for step, restart := range map[string]bool{"step 1": false, "step 1, after a restart": true} {
				w.Mark()
				w.Stale(&appsv1.DeploymentList{}, world.Get[appsv1.Deployment](w, "web"), world.Get[appsv1.Deployment](w, "web-a"), old)
				if restart {
					w.Restart()
				}
				for range 3 {
					w.Clock.SetTime(w.Clock.Now().Add(time.Second))
					app.Pass()
				}
				w.Same(step+": deletes of claims", []world.Deletion{}, w.Deletions("persistentvolumeclaims"))
				if now := world.Find[corev1.PersistentVolumeClaim](w, "data-b"); now == nil || now.UID != claim.UID || now.DeletionTimestamp != nil {
					w.Fault("%s: the claim of the new worker is gone", step)
				}
				w.Same(step+": UID of web-b", worker.UID, world.Get[appsv1.Deployment](w, "web-b").UID)
				w.CatchUp()
				w.Converge()
				w.Quiet("step 2", 3)
			}
		},
	}
}
