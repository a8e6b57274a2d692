package finalizer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
)

// stuck returns a step whose release has the given outcome.
func stuck(outcome func() (reconcile.Result, error)) *finalizer.FuncStep[*v1.MyApp] {
	return finalizer.Func(dns, func(context.Context, run) (reconcile.Result, error) { return outcome() })
}

func TestADeadlineOfDeletion(t *testing.T) {
	for name, test := range map[string]struct {
		reason  string
		outcome func() (reconcile.Result, error)
		poll    time.Duration // before the deadline, with an hour left
		words   string
	}{
		"a wait": {
			reason:  "nothing else would wake the object at the deadline",
			outcome: func() (reconcile.Result, error) { return reconcile.Wait("Busy", "the zone is busy"), nil },
			poll:    time.Hour,
			words:   "not undone within 1h0m0s: the zone is busy",
		},
		"a terminal error": {
			reason: "it is not retried by itself",
			outcome: func() (reconcile.Result, error) {
				return reconcile.Result{}, reconcile.Terminal(errors.New("the zone is gone"))
			},
			poll:  time.Hour,
			words: "not undone within 1h0m0s: the zone is gone",
		},
		"an error": {
			reason:  "it is retried with backoff",
			outcome: func() (reconcile.Result, error) { return reconcile.Result{}, errors.New("the zone does not answer") },
			words:   "not undone within 1h0m0s: the zone does not answer",
		},
		"a panic": {
			reason:  "it is an error like others",
			outcome: func() (reconcile.Result, error) { panic("no zone") },
			words:   "not undone within 1h0m0s: panic: no zone",
		},
	} {
		for consequence, letGo := range map[string]bool{"it stays": false, "it is let go": true} {
			t.Run(name+"/"+consequence, func(t *testing.T) {
				outcome := test.outcome
				w := newWorld(t, oneStep(func() reconcile.Step[*v1.MyApp] {
					step := finalizer.Within(time.Hour, stuck(func() (reconcile.Result, error) { return outcome() }))
					if letGo {
						step.LetGo()
					}
					return step
				}))
				w.must("first pass")
				w.delete()
				w.live()
				w.clock.SetTime(w.app.DeletionTimestamp.Time)
				result, _ := w.pass()
				if result.RequeueAfter != test.poll {
					t.Errorf("%s: it is tried again after %s, want %s", test.reason, result.RequeueAfter, test.poll)
				}
				w.finalizers("before the deadline", dns)
				w.start() // a restart does not begin the time anew
				w.clock.SetTime(w.app.DeletionTimestamp.Add(time.Hour))
				w.events.Reset()
				result = w.must("at the deadline")
				if letGo {
					if w.live() {
						t.Error("it was not let go")
					}
					told(t, w, "Warning LeftBehind: dns: "+test.words+"; it is left behind")
					return
				}
				told(t, w, "Warning DeadlineExceeded: dns: "+test.words)
				w.ready("at the deadline", metav1.ConditionFalse, "DeadlineExceeded", "deletion waits for dns: "+test.words)
				if !w.stalled() || result.RequeueAfter != time.Minute {
					t.Errorf("stalled: %t, tried again after %s", w.stalled(), result.RequeueAfter)
				}
				w.quiet("past the deadline")
				outcome = func() (reconcile.Result, error) { return reconcile.Continue, nil }
				if w.must("it is undone after all"); w.live() {
					t.Error("it stayed")
				}
			})
		}
	}
}

func told(t *testing.T, w *world, want string) {
	t.Helper()
	if diff := cmp.Diff([]string{want}, w.events.All()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestMisuseOfADeadlineIsToldAtSetup(t *testing.T) {
	for want, step := range map[string]reconcile.Step[*v1.MyApp]{
		"Within: the step is nil":          finalizer.Within[*v1.MyApp](time.Hour, nil),
		"Within: 0s leaves no time":        finalizer.Within(0, stuck(nil)),
		"Within: is for a single step":     finalizer.Within(time.Hour, reconcile.All[*v1.MyApp](stuck(nil))),
		"the function that releases is ni": finalizer.Within(time.Hour, finalizer.Func[*v1.MyApp](dns, nil)),
	} {
		if err := step.Describe().Err; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %s: %v", want, err)
		}
	}
}
