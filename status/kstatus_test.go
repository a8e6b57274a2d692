package status_test

import (
	"context"
	"errors"
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"

	"github.com/trueup-dev/trueup/reconcile"
	trueup "github.com/trueup-dev/trueup/status"
)

// What a summary writes means to tools that follow kstatus, such as Flux, Argo CD
// and kubectl wait, what it means here.
func TestKstatusReadsTheConditionsAsTheyAreMeant(t *testing.T) {
	for name, test := range map[string]struct {
		outcome reconcile.Result
		err     error
		respec  bool
		want    status.Status
	}{
		"ready":            {outcome: reconcile.Continue, want: status.CurrentStatus},
		"waiting":          {outcome: reconcile.Wait("Busy", "busy"), want: status.InProgressStatus},
		"retried":          {err: errors.New("no answer"), want: status.InProgressStatus},
		"stalled":          {outcome: reconcile.Wait("TooLate", "too late").Stalled(), want: status.FailedStatus},
		"terminal":         {err: reconcile.Terminal(errors.New("no such zone")), want: status.FailedStatus},
		"halted":           {outcome: reconcile.Halt("Paused", "paused"), want: status.InProgressStatus}, // it has no word for it
		"a new generation": {outcome: reconcile.Continue, respec: true, want: status.InProgressStatus},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, newApp())
			pipeline := b.setUp(reconcile.NewPipeline("test",
				reconcile.Func("work", func(context.Context, appRun) (reconcile.Result, error) { return test.outcome, test.err }),
				trueup.Summarize(conditions),
			))
			_, _, _ = b.pass(pipeline)
			if test.respec {
				b.respec("image", "img:2") // which no pass has seen yet
			}
			got, err := status.Compute(b.live())
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != test.want {
				t.Errorf("%s (%s), want %s", got.Status, got.Message, test.want)
			}
		})
	}
}
