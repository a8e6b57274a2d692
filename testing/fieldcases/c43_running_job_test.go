package fieldcases_test

import (
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C43: a running Job is updated after an upgrade of the operator.
// https://github.com/backube/volsync/issues/291
//
// The rule of the operator is that the Job of an earlier image goes when that of the
// wanted one is complete.
func c43() fieldCase {
	env := func(p *world.Process) map[string]string {
		if p.Version == 1 {
			return nil
		}
		return map[string]string{"NEW": "1"}
	}
	return fieldCase{
		id: "C43",
		trueup: func(p *world.Process) pipeline {
			return operator.New(operator.Options{JobEnv: env(p)})
		},
		naive: func(p *world.Process) *naive.Reconciler {
			return &naive.Reconciler{Look: naive.Look{JobEnv: env(p)}}
		},
		shows: `step 1: passes failed: [Job.batch`,
		run: func(w *world.World) {
			app := w.App("web", func(app *v1.MyApp) { app.Spec.Migrate = true })
			w.Converge()
			jobs := func(step string, want ...string) {
				list := &batchv1.JobList{}
				w.List(list)
				var names []string
				for i := range list.Items {
					if list.Items[i].DeletionTimestamp == nil {
						names = append(names, list.Items[i].Name)
					}
				}
				w.Expect(len(names) == len(want), "%s: Jobs %v, want %v", step, names, want)
				for _, name := range want {
					w.Expect(world.Find[batchv1.Job](w, name) != nil, "%s: Jobs %v, want %v", step, names, want)
				}
			}
			one, two := operator.MigrationName("web", "img:1"), operator.MigrationName("web", "img:2")
			w.StartJobs()
			w.Settle()
			w.Mark()

			w.Upgrade()
			w.Settle()
			w.Expect(len(app.Errors()) == 0, "step 1: passes failed: %v", app.Errors())
			w.Same("step 1: writes to Jobs", 0, w.Count(world.WritesTo("jobs")))
			w.Condition("step 1", app, "Ready", metav1.ConditionFalse, world.Migrating)
			w.Quiet("step 1", 5)
			jobs("step 1", one)
			running := &batchv1.JobList{}
			w.List(running)

			w.CompleteJobs()
			w.Converge()
			jobs("step 2", one)
			w.Same("step 2: writes to Jobs", 0, w.Count(world.WritesTo("jobs")))
			w.Same("step 2: UID", running.Items[0].UID, world.Get[batchv1.Job](w, one).UID)
			w.Mark()
			w.Condition("step 2", app, "Ready", metav1.ConditionTrue, world.Available)

			app.Change(func(app *v1.MyApp) { app.Spec.Image = "img:2" })
			w.Converge()
			jobs("step 3", one, two)
			w.Same("step 3: Jobs that go before the new one is complete", 0, len(w.Deletions("jobs")))
			w.CompleteJobs()
			w.Converge()
			w.Expect(world.Gone[batchv1.Job](w, one), "step 3: the old Job is still there")
			w.Converge()
			jobs("step 3, at the end", two)
			w.Same("step 3: creates", 1, w.Count(world.WritesTo("jobs"), world.Verb("create", "apply")))
			gone := w.Deletions("jobs")
			w.Expect(len(gone) == 1 && gone[0].Name == one && gone[0].UID == string(running.Items[0].UID), "step 3: deleted %v", gone)
			w.Condition("step 3", app, "Ready", metav1.ConditionTrue, world.Available)
			w.Quiet("step 3", 3)
		},
	}
}
