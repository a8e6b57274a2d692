package fieldcases_test

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C15: a cache that selects by a label hides a child that exists.
// https://github.com/kubevirt/hyperconverged-cluster-operator/pull/1801
//
// An operator that has been restarted, and remembers nothing, sends a create that
// is refused before it looks past the cache: the case allows one, and it is what
// tells that there is something without a read of every child that is new.
func c15() fieldCase {
	unlabel := func(w *world.World, change ...func(*appsv1.Deployment)) *appsv1.Deployment {
		return world.Update(w, "web", func(deployment *appsv1.Deployment) {
			delete(deployment.Labels, "managed-by")
			for _, change := range change {
				change(deployment)
			}
		})
	}
	return fieldCase{
		id:    "C15",
		shows: `step 1: passes failed at the end: deployments.apps "web" already exists`,
		run: func(w *world.World) {
			w.Select(&appsv1.DeploymentList{}, map[string]string{"managed-by": "myapp"})
			app := w.S0()
			for step, restart := range map[string]bool{"step 1": false, "step 1, after a restart": true} {
				w.Mark()
				before := unlabel(w)
				if restart {
					w.Restart()
				}
				w.Settle()
				after := world.Get[appsv1.Deployment](w, "web")
				w.Expect(after.Labels["managed-by"] == "myapp", "%s: the label is not back", step)
				w.Same(step+": UID", before.UID, after.UID)
				w.Same(step+": pod template", before.Spec.Template, after.Spec.Template)
				w.Same(step+": accepted writes", 1, w.Count(world.WritesTo("deployments"), world.Accepted))
				w.Expect(w.Count(world.WritesTo("deployments")) <= 2, "%s: wrote %v", step, w.Writes())
				w.Expect(w.Count(world.Verb("get")) <= 1, "%s: read %d times past the cache", step, w.Count(world.Verb("get")))
				if n := len(app.Passes); n == 0 || app.Passes[n-1].Err != nil {
					w.Fault("%s: passes failed at the end: %v", step, app.Passes[n-1].Err)
				}
				w.Condition(step, app, "Ready", metav1.ConditionTrue, world.Available)
				w.Quiet(step, 3)
			}

			other := unlabel(w, func(deployment *appsv1.Deployment) {
				deployment.OwnerReferences = []metav1.OwnerReference{{
					APIVersion: "other.example/v1", Kind: "Other", Name: "x", UID: "x1", Controller: ptr.To(true),
				}}
			})
			w.Restart()
			w.Settle()
			w.Same("of somebody else's: accepted writes", 0, w.Count(world.WritesTo("deployments"), world.Accepted))
			w.Same("of somebody else's: resourceVersion", other.ResourceVersion, world.Get[appsv1.Deployment](w, "web").ResourceVersion)
			w.Condition("of somebody else's", app, "Ready", metav1.ConditionFalse, world.Conflict)
		},
	}
}
