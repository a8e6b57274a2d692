package fieldcases_test

import (
	"encoding/json"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

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
// what Settle goes by; the pass returns neither an error nor a time. The same goes for
// one in which the server has refused the create because the old one is there still,
// of which the cache will tell that it is gone. A create that is refused although there
// is none is an error, and is what Ready tells then, as it tells of the rollout when
// there is the new Deployment: both say more than that it is made again.
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
			create := func(request request) bool {
				return request.Resource == "deployments" && (request.Verb == "create" || request.Apply) && !request.DryRun
			}
			// unready makes a pass that may not be done, and has to look again by itself if it
			// is not woken.
			unready := func(step string, woken bool) {
				w.Clock.SetTime(w.Clock.Now().Add(time.Second))
				pass := app.Pass()
				w.Expect(woken || pass.Err != nil || pass.Result.RequeueAfter > 0, "%s: the pass is done", step)
				now := app.Get()
				if meta.IsStatusConditionTrue(now.Status.Conditions, "Ready") {
					w.Fault("%s: Ready is True, at observedGeneration %d", step, now.Status.ObservedGeneration)
				}
			}
			unready("while the delete times out", false)
			for range 2 {
				unready("while it is being deleted", true)
				w.Condition("while it is being deleted", app, "Ready", metav1.ConditionFalse, world.Recreating)
			}

			// The cache tells that it is gone, and the server that it is not.
			w.Stale(&appsv1.DeploymentList{}, []client.Object{}...)
			for n := range 2 {
				unready("while the server has it still", true)
				w.Same("refused creates", n+1, w.Count(create, func(request request) bool { return request.Code == 409 }))
				w.Condition("while the server has it still", app, "Ready", metav1.ConditionFalse, world.Recreating)
			}
			w.CatchUp()
			world.Update(w, "web", func(deployment *appsv1.Deployment) { deployment.Finalizers = nil })
			w.Same("accepted creates while there is the old one", 0, w.Count(create, world.Accepted))
			neverReady(w, "while there is the old one")
			w.Mark()
			w.On(create, -1, world.Refuse(409, metav1.StatusReasonAlreadyExists, `object is being deleted: deployments.apps "web" already exists`))
			for range 2 {
				unready("while the create is refused", false)
			}
			w.Heal()
			w.Settle()
			now := world.Find[appsv1.Deployment](w, "web")
			if now == nil || now.UID == old.UID {
				w.Stop("the Deployment is not made again")
			}
			w.Condition("while it rolls out", app, "Ready", metav1.ConditionFalse, world.Progressing)
			neverReady(w, "before it is available")
			w.Converge()
			w.Condition("at the end", app, "Ready", metav1.ConditionTrue, world.Available)
			w.Same("accepted creates", 1, w.Count(create, world.Accepted))
			all := &appsv1.DeploymentList{}
			w.List(all)
			w.Same("Deployments at the end", 1, len(all.Items))
		},
	}
}

// neverReady expects that no status since the last Mark said that the app is ready.
func neverReady(w *world.World, step string) {
	for _, request := range w.Requests.All(world.WritesTo("myapps/status")) {
		body := &v1.MyApp{}
		w.Must(json.Unmarshal([]byte(request.Body), body))
		w.Expect(!meta.IsStatusConditionTrue(body.Status.Conditions, "Ready"), "%s: a status said that it is ready: %s", step, request.Body)
	}
}
