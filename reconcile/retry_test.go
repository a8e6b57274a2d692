package reconcile_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/trueup-dev/trueup/reconcile"
)

func TestRetry(t *testing.T) {
	boom, no := errors.New("boom"), reconcile.Terminal(errors.New("no"))
	for name, test := range map[string]struct {
		reason   string
		outcomes []returned
		tries    int
		want     returned
	}{
		"at once":  {"nothing to retry", []returned{{}}, 1, returned{}},
		"second":   {"an error for a moment does not show", []returned{{err: boom}, {}}, 2, returned{}},
		"never":    {"the last error shows", []returned{{err: boom}, {err: boom}, {err: boom}}, 3, returned{err: boom}},
		"terminal": {"another try would not help", []returned{{err: no}}, 1, returned{err: no}},
		"waits":    {"a wait is no error", []returned{{result: reconcile.Wait("W", "w")}}, 1, returned{result: reconcile.Wait("W", "w")}},
	} {
		t.Run(name, func(t *testing.T) {
			tries := 0
			pass := newRun(t)
			got, err := pass.Do(t.Context(), reconcile.Retry(3, time.Microsecond, reconcile.Func("a", func(context.Context, run) (reconcile.Result, error) {
				tries++
				return test.outcomes[tries-1].result, test.outcomes[tries-1].err
			})))
			if got != test.want.result || !errors.Is(err, test.want.err) || tries != test.tries {
				t.Errorf("%s: got %v, %v after %d tries", test.reason, got, err, tries)
			}
			if ready := pass.Reports()[0].State == reconcile.StateReady; ready != (test.want == returned{}) {
				t.Errorf("%s: report = %+v", test.reason, pass.Reports()[0])
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := newRun(t).Do(ctx, reconcile.Retry(2, time.Minute, reconcile.Func("a", func(context.Context, run) (reconcile.Result, error) {
		cancel()
		return reconcile.Result{}, boom
	})))
	if !errors.Is(err, boom) {
		t.Errorf("err = %v, want the pause to end with the pass", err)
	}
}
