package reconcile_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trueup-dev/trueup/reconcile"
)

func TestResultAfterKeepsTheSoonest(t *testing.T) {
	for name, test := range map[string]struct {
		reason string
		result reconcile.Result
		want   time.Duration
	}{
		"none":     {"nothing was asked for", reconcile.Continue, 0},
		"zero":     {"zero asks for nothing, as in controller-runtime", reconcile.Continue.After(0), 0},
		"one":      {"what was asked for is kept", reconcile.Continue.After(time.Minute), time.Minute},
		"sooner":   {"a later request that is sooner wins", reconcile.Continue.After(time.Minute).After(time.Second), time.Second},
		"later":    {"a later request that is later loses", reconcile.Continue.After(time.Second).After(time.Minute), time.Second},
		"zero too": {"asking for nothing takes nothing away", reconcile.Continue.After(time.Second).After(0), time.Second},
		"past":     {"a moment that has passed is at once, not never", reconcile.Wait("A", "b").After(-time.Hour), time.Nanosecond},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.result.RequeueAfter(); got != test.want {
				t.Errorf("%s: RequeueAfter() = %v, want %v", test.reason, got, test.want)
			}
		})
	}
	if reconcile.Continue.RequeueAfter() != 0 {
		t.Error("After changed Continue itself")
	}
}

func TestOnlyAWaitCanBeStalled(t *testing.T) {
	if got := reconcile.Wait("W", "w").Stalled(); got == reconcile.Wait("W", "w") || got.Outcome() != reconcile.Waiting {
		t.Errorf("got %v, want a Wait that is stalled", got)
	}
	if got := reconcile.Continue.Stalled(); got != reconcile.Continue {
		t.Errorf("got %v, want Continue as it was", got)
	}
}

func TestReturn(t *testing.T) {
	boom := errors.New("boom")
	for name, test := range map[string]struct {
		reason   string
		result   reconcile.Result
		err      error
		want     ctrl.Result
		wantErr  error
		terminal bool
	}{
		"continue": {reason: "nothing to do", want: ctrl.Result{}},
		"after":    {reason: "the requeue is passed on", result: reconcile.Halt("A", "b").After(time.Second), want: ctrl.Result{RequeueAfter: time.Second}},
		"wait":     {reason: "a watch wakes it", result: reconcile.Wait("A", "b"), want: ctrl.Result{}},
		"error":    {reason: "an error is retried with backoff", err: boom, wantErr: boom},
		"terminal": {reason: "a terminal error is not retried", err: reconcile.Terminal(boom), wantErr: boom, terminal: true},
		"mixed": {
			reason: "a transient error beside a terminal one is retried",
			err:    errors.Join(reconcile.Terminal(errors.New("no")), boom), wantErr: boom,
		},
		"mixed with controller-runtime's": {
			reason: "so it is with controller-runtime's own mark",
			err:    errors.Join(ctrlreconcile.TerminalError(errors.New("no")), boom), wantErr: boom,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := reconcile.Return(test.result, test.err)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s: result (-want +got):\n%s", test.reason, diff)
			}
			if !errors.Is(err, test.wantErr) {
				t.Errorf("%s: err = %v, want %v", test.reason, err, test.wantErr)
			}
			if got := errors.Is(err, ctrlreconcile.TerminalError(nil)); got != test.terminal {
				t.Errorf("%s: controller-runtime takes it for terminal: %v, want %v", test.reason, got, test.terminal)
			}
		})
	}
}

func TestReturnKeepsTheRequeueBesideATerminalError(t *testing.T) {
	var join reconcile.Join
	join.Add(reconcile.Continue.After(time.Hour), nil)
	join.Add(reconcile.Result{}, reconcile.Terminal(errors.New("never")))
	got, err := reconcile.Return(join.Outcome())
	if err != nil {
		t.Errorf("err = %v: controller-runtime would drop the requeue beside it", err)
	}
	if got.RequeueAfter != time.Hour {
		t.Errorf("RequeueAfter = %v, want 1h", got.RequeueAfter)
	}
}
