package fieldcases_test

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C53: an entry is renamed, and its old child goes on serving.
// https://github.com/SeldonIO/seldon-core/issues/4316
//
// It is renamed again and again, with a crash one write later each time.
func c53() fieldCase {
	return fieldCase{
		id:    "C53",
		shows: "without a crash: there are Deployments [other-v1 web-v1 web-v2]",
		run: func(w *world.World) {
			with := func(worker string) func(*v1.MyApp) {
				return func(app *v1.MyApp) { app.Spec.Workers = []string{worker} }
			}
			w.App("other", with("v1"))
			app := w.App("web", with("v1"))
			w.Converge()
			theirs := func() (versions []string) {
				for _, name := range []string{"other", "other-v1"} {
					versions = append(versions, world.Get[appsv1.Deployment](w, name).ResourceVersion, world.Get[corev1.Service](w, name).ResourceVersion)
				}
				return versions
			}
			untouched := theirs()
			renaming := &renaming{w: w}
			w.On(func(request request) bool {
				return request.Verb == "delete" && (request.Resource == "deployments" || request.Resource == "services")
			}, -1, world.Before(renaming.deleted))

			for k := range 6 {
				renaming.from, renaming.to = fmt.Sprintf("web-v%d", k+1), fmt.Sprintf("web-v%d", k+2)
				step := fmt.Sprintf("crash after write %d", k)
				if k == 0 {
					step = "without a crash"
				}
				renaming.step, renaming.crashes = step, 0
				old := map[string]string{
					"deployments": string(world.Get[appsv1.Deployment](w, renaming.from).UID),
					"services":    string(world.Get[corev1.Service](w, renaming.from).UID),
				}
				w.Mark()
				app.Change(with(fmt.Sprintf("v%d", k+2)))
				w.CrashAfterWrites(k)
				renaming.settle()
				for _, status := range []appsv1.DeploymentStatus{
					{ObservedGeneration: 1, Replicas: 1},
					{ObservedGeneration: 1, Replicas: 1, UpdatedReplicas: 1},
				} {
					w.DeploymentStatus(renaming.to, status)
					renaming.settle()
					w.Expect(renaming.there(renaming.from), "%s: %s goes before %s is available", step, renaming.from, renaming.to)
				}
				w.RollOut(world.Get[appsv1.Deployment](w, renaming.to))
				renaming.settle()
				w.Converge()

				want := []string{"other-v1", renaming.to}
				deployments, services := workersOf(w)
				w.Expect(slices.Equal(want, deployments), "%s: there are Deployments %v", step, deployments)
				w.Expect(slices.Equal(want, services), "%s: there are Services %v", step, services)
				w.Same(step+": what web has", []string{
					"Deployment web", "Deployment " + renaming.to, "Service web", "Service " + renaming.to,
				}, ownedBy(w, app.Get()))
				for resource, uid := range old {
					deletions := w.Deletions(resource)
					w.Expect(len(deletions) == 1 && deletions[0].Name == renaming.from && deletions[0].UID == uid,
						"%s: deleted %s %v", step, resource, deletions)
				}
				w.Same(step+": crashes", min(k, 1), renaming.crashes)
				w.Quiet(step, 3)
			}
			w.Expect(renaming.between > 0, "no crash was between the creation of the new and the deletion of the old")
			w.Same("what the other has", untouched, theirs())
		},
	}
}

// renaming is one that goes on.
type renaming struct {
	w        *world.World
	step     string
	from, to string // names of the old Deployment and Service, and of the new ones
	crashes  int
	between  int // crashes at which there are both, and nothing is deleted
}

// there reports whether there are a Deployment and a Service of the name.
func (r *renaming) there(name string) bool {
	return world.Find[appsv1.Deployment](r.w, name) != nil && world.Find[corev1.Service](r.w, name) != nil
}

// settle settles, with a restart if the operator crashes.
func (r *renaming) settle() {
	r.w.Settle()
	if !r.w.Crashed() {
		return
	}
	r.crashes++
	if r.there(r.from) && r.there(r.to) && len(r.w.Deletions("deployments"))+len(r.w.Deletions("services")) == 0 {
		r.between++
	}
	r.w.Restart()
	r.w.Settle()
}

// deleted is called before the operator deletes something.
func (r *renaming) deleted() {
	deployment := world.Find[appsv1.Deployment](r.w, r.to)
	r.w.Expect(deployment != nil && deployment.Status.AvailableReplicas >= 1, "%s: something goes before Deployment %s is available", r.step, r.to)
	r.w.Expect(world.Find[corev1.Service](r.w, r.to) != nil, "%s: something goes before there is Service %s", r.step, r.to)
}
