package fieldcases_test

import (
	"encoding/json"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C09: two writers overwrite each other's conditions.
// https://github.com/stacklok/toolhive/issues/4633
func c09() fieldCase {
	return fieldCase{
		id:    "C09",
		shows: "step 1: passes failed: [Operation cannot be fulfilled",
		run: func(w *world.World) {
			app := w.S0()
			audited := metav1.NewTime(w.Clock.Now().Add(-time.Hour))
			audit := func() {
				now := app.Get()
				now.Status.AuditID = "7"
				meta.SetStatusCondition(&now.Status.Conditions, metav1.Condition{
					Type: "Audited", Status: metav1.ConditionTrue, Reason: "Fine", LastTransitionTime: audited,
				})
				w.Must(w.User.Status().Update(w.Context(), now))
			}
			check := func(step string, ready metav1.ConditionStatus) {
				w.Condition(step, app, "Ready", ready, world.Any)
				now := app.Get()
				is := meta.FindStatusCondition(now.Status.Conditions, "Audited")
				w.Expect(now.Status.AuditID == "7", "%s: auditID is %q", step, now.Status.AuditID)
				w.Expect(is != nil && is.Status == metav1.ConditionTrue && is.LastTransitionTime.Equal(&audited),
					"%s: Audited is %v", step, is)
				w.Expect(len(app.Errors()) == 0, "%s: passes failed: %v", step, app.Errors())
				w.Wrote(step, map[string]int{"myapps/status": world.AtMost(2)})
				for _, request := range w.Requests.All(world.WritesTo("myapps/status")) {
					body := &v1.MyApp{}
					w.Must(json.Unmarshal([]byte(request.Body), body))
					w.Expect(body.ResourceVersion != "" || body.Status.AuditID == "",
						"%s: the status request has no resourceVersion and names a field of somebody else's", step)
				}
				w.Mark()
			}

			w.On(world.WritesTo("myapps/status"), 1, world.Before(audit))
			w.DeploymentStatus("web", appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 1, AvailableReplicas: 1})
			app.Pass()
			check("step 1", metav1.ConditionFalse)

			// The second actor's write is there, and the cache has not seen it.
			now := app.Get()
			now.Status.AuditID, now.Status.Conditions = "", nil
			w.Stale(&v1.MyAppList{})
			audited = metav1.NewTime(audited.Add(time.Minute))
			again := app.Get()
			meta.RemoveStatusCondition(&again.Status.Conditions, "Audited")
			w.Must(w.User.Status().Update(w.Context(), again))
			audit()
			w.RollOut(world.Get[appsv1.Deployment](w, "web"))
			app.Pass()
			check("step 2", metav1.ConditionTrue)
		},
	}
}
