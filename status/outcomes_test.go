package status_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
)

type (
	appOf  = *v1.MyApp
	appRun = *reconcile.Run[appOf]
)

// newApp returns a MyApp that the API server accepts.
func newApp() *v1.MyApp { return &v1.MyApp{Spec: v1.MyAppSpec{Image: "img:1"}} }

// Every row of the table of outcomes, in the comment of package reconcile, shows
// in the conditions: that of the step and that of the step after it, Ready, and
// how it goes on.
func TestEveryRowOfTheOutcomeTableShowsInTheConditions(t *testing.T) {
	for name, test := range map[string]struct {
		outcome reconcile.Result
		err     error
		want    []string
		result  ctrl.Result
		final   bool // the error is not retried
	}{
		"Continue": {
			outcome: reconcile.Continue,
			want:    []string{"Ready=True g1 Ready: every step is ready", "FirstReady=True g1 Ready", "LaterReady=True g1 Ready"},
		},
		"Continue.After": {
			outcome: reconcile.Continue.After(time.Minute),
			want:    []string{"Ready=True g1 Ready: every step is ready", "FirstReady=True g1 Ready", "LaterReady=True g1 Ready"},
			result:  ctrl.Result{RequeueAfter: 30 * time.Second}, // as the later step asks
		},
		"Wait": {
			outcome: reconcile.Wait("NoQuota", "there is no quota"),
			want: []string{
				"Ready=False g1 NoQuota: first: there is no quota; not reached yet: later",
				"FirstReady=False g1 NoQuota: there is no quota", "LaterReady=Unknown g1 Pending: not reached yet",
				"Reconciling=True g1 NoQuota: first: there is no quota; not reached yet: later",
			},
		},
		"Wait.After": {
			outcome: reconcile.Wait("NoQuota", "there is no quota").After(time.Minute),
			want: []string{
				"Ready=False g1 NoQuota: first: there is no quota; not reached yet: later",
				"FirstReady=False g1 NoQuota: there is no quota", "LaterReady=Unknown g1 Pending: not reached yet",
				"Reconciling=True g1 NoQuota: first: there is no quota; not reached yet: later",
			},
			result: ctrl.Result{RequeueAfter: time.Minute},
		},
		"Wait.Stalled": {
			outcome: reconcile.Wait("TooLate", "the deadline has passed").Stalled(),
			want: []string{
				"Ready=False g1 TooLate: first: the deadline has passed; not reached yet: later",
				"FirstReady=False g1 TooLate: the deadline has passed", "LaterReady=Unknown g1 Pending: not reached yet",
				"Stalled=True g1 TooLate: first: the deadline has passed; not reached yet: later",
			},
		},
		"Halt": {
			outcome: reconcile.Halt("Paused", "paused by a person"),
			want: []string{
				"Ready=Unknown g1 Paused: first: paused by a person; not reached yet: later",
				"FirstReady=Unknown g1 Paused: paused by a person", "LaterReady=Unknown g1 Pending: not reached yet",
			},
		},
		"Halt.After": {
			outcome: reconcile.Halt("Paused", "paused by a person").After(time.Minute),
			want: []string{
				"Ready=Unknown g1 Paused: first: paused by a person; not reached yet: later",
				"FirstReady=Unknown g1 Paused: paused by a person", "LaterReady=Unknown g1 Pending: not reached yet",
			},
			result: ctrl.Result{RequeueAfter: time.Minute},
		},
		"error": {
			err: reconcile.WithReason("Refused", errors.New("the zone refuses")),
			want: []string{
				"Ready=False g1 Refused: first: the zone refuses; not reached yet: later",
				"FirstReady=False g1 Refused: the zone refuses", "LaterReady=Unknown g1 Pending: not reached yet",
				"Reconciling=True g1 Refused: first: the zone refuses; not reached yet: later",
			},
		},
		"Terminal": {
			err: reconcile.Terminal(reconcile.WithReason("InvalidSpec", errors.New("no such zone"))),
			want: []string{
				"Ready=False g1 InvalidSpec: first: no such zone; not reached yet: later",
				"FirstReady=False g1 InvalidSpec: no such zone", "LaterReady=Unknown g1 Pending: not reached yet",
				"Stalled=True g1 InvalidSpec: first: no such zone; not reached yet: later",
			},
			final: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, newApp())
			pipeline := b.setUp(reconcile.NewPipeline("test",
				reconcile.Func("first", func(context.Context, appRun) (reconcile.Result, error) { return test.outcome, test.err }),
				reconcile.Func("later", func(context.Context, appRun) (reconcile.Result, error) {
					return reconcile.Continue.After(test.outcome.RequeueAfter() / 2), nil
				}),
				status.Summarize(conditions),
			))
			result, sent, err := b.pass(pipeline)
			if result != test.result || !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
				t.Errorf("result = %+v, %v; want %+v, %v", result, err, test.result, test.err)
			}
			if final := errors.Is(err, ctrlreconcile.TerminalError(nil)); final != test.final {
				t.Errorf("%v is final for controller-runtime: %t, want %t", err, final, test.final)
			}
			if len(sent) != 1 || sent[0].Resource != "myapps/status" {
				t.Errorf("sent %v, want the status, once", sent)
			}
			if diff := cmp.Diff(test.want, b.told()); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
			b.quiet(name, pipeline)
		})
	}
}
