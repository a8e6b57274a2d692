package fieldcases_test

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// C13: a child is created several times, because the cache has not caught up.
// https://github.com/argoproj/argo-rollouts/issues/243
func c13() fieldCase {
	return fieldCase{
		id:    "C13",
		shows: "step 1: 4 creates of Jobs were accepted",
		run: func(w *world.World) {
			app := w.App("web", func(app *v1.MyApp) { app.Spec.Migrate = true })
			w.Converge()
			w.CompleteJobs()
			w.Converge()
			w.Condition("S0", app, "Ready", metav1.ConditionTrue, world.Available)
			w.Mark()

			made := func(request steptest.Request) bool { return request.Verb != "delete" }
			w.Stale(&batchv1.JobList{})
			app.Change(func(app *v1.MyApp) { app.Spec.Image = "img:2" })
			for pass := range 4 {
				if pass == 2 {
					w.Restart() // it does not even remember that it has made one
				}
				app.Pass()
			}
			accepted := w.Count(world.WritesTo("jobs"), made, world.Accepted)
			w.Expect(accepted == 1, "step 1: %d creates of Jobs were accepted, want 1", accepted)
			w.Expect(len(app.Errors()) == 0, "step 1: passes failed: %v", app.Errors())
			for _, event := range w.Events.All() {
				w.Expect(!strings.HasPrefix(event, "Warning"), "step 1: told %s", event)
			}
			// The app is not ready, because the migration and the rollout go on, and for
			// no other reason.
			w.Condition("step 1", app, "Ready", metav1.ConditionFalse, world.Progressing)
			w.Condition("step 1", app, "MigrationReady", metav1.ConditionFalse, world.Migrating)

			w.CatchUp()
			w.Converge()
			jobs := &batchv1.JobList{}
			w.List(jobs)
			var names []string
			for i := range jobs.Items {
				if jobs.Items[i].Spec.Template.Spec.Containers[0].Image == "img:2" {
					names = append(names, jobs.Items[i].Name)
				}
			}
			w.Same("Jobs for img:2", []string{operator.MigrationName("web", "img:2")}, names)
			w.Same("deletes of Jobs", 0, len(w.Deletions("jobs")))
			w.Quiet("step 2", 3)
		},
	}
}
