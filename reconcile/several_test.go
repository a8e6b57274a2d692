package reconcile_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trueup-dev/trueup/reconcile"
)

func TestSeveral(t *testing.T) {
	boom, no := errors.New("boom"), ctrlreconcile.TerminalError(errors.New("no"))
	gives := func(result ctrl.Result, err error) ctrlreconcile.Reconciler {
		return ctrlreconcile.Func(func(context.Context, ctrl.Request) (ctrl.Result, error) { return result, err })
	}
	fine := gives(ctrl.Result{}, nil)
	after := func(d time.Duration) ctrlreconcile.Reconciler { return gives(ctrl.Result{RequeueAfter: d}, nil) }
	for name, test := range map[string]struct {
		reason   string
		of       []ctrlreconcile.Reconciler
		want     ctrl.Result
		err      string
		terminal bool
	}{
		"none":     {reason: "there is nothing to do"},
		"fine":     {reason: "nothing is asked", of: []ctrlreconcile.Reconciler{fine, fine}},
		"one":      {reason: "an error of the only one is its own", of: []ctrlreconcile.Reconciler{gives(ctrl.Result{}, boom)}, err: "boom"},
		"soonest":  {reason: "the soonest requeue counts", of: []ctrlreconcile.Reconciler{after(time.Hour), fine, after(time.Minute)}, want: ctrl.Result{RequeueAfter: time.Minute}},
		"negative": {reason: "it asks for nothing, as controller-runtime has it", of: []ctrlreconcile.Reconciler{after(-time.Hour), after(time.Minute)}, want: ctrl.Result{RequeueAfter: time.Minute}},
		"error": {
			reason: "an error keeps the others from nothing, and is retried with backoff",
			of:     []ctrlreconcile.Reconciler{gives(ctrl.Result{}, boom), after(time.Minute)},
			err:    "reconciler 1: boom (asked to run again after 1m0s)",
		},
		"mixed": {
			reason: "a transient error is not lost to a terminal one",
			of:     []ctrlreconcile.Reconciler{gives(ctrl.Result{}, no), gives(ctrl.Result{}, boom)},
			err:    "reconciler 1: terminal error: no; reconciler 2: boom",
		},
		"terminal": {
			reason: "all are terminal", of: []ctrlreconcile.Reconciler{gives(ctrl.Result{}, no), fine},
			err: "reconciler 1: terminal error: no", terminal: true,
		},
		"terminal and a requeue": {
			reason: "the requeue is not lost", of: []ctrlreconcile.Reconciler{gives(ctrl.Result{}, no), after(time.Minute)},
			want: ctrl.Result{RequeueAfter: time.Minute},
		},
		"priorities": {
			reason: "the highest counts",
			of: []ctrlreconcile.Reconciler{
				gives(ctrl.Result{Priority: ptr.To(-5)}, nil), gives(ctrl.Result{Priority: ptr.To(7), RequeueAfter: time.Hour}, nil), fine,
			},
			want: ctrl.Result{Priority: ptr.To(7), RequeueAfter: time.Hour},
		},
		"old code": {
			reason: "it may still return Requeue", of: []ctrlreconcile.Reconciler{gives(ctrl.Result{Requeue: true}, nil), fine}, //nolint:staticcheck // on purpose
			want: ctrl.Result{Requeue: true}, //nolint:staticcheck // on purpose
		},
		"panic": {
			reason: "it is the failure of one",
			of: []ctrlreconcile.Reconciler{ctrlreconcile.Func(func(context.Context, ctrl.Request) (ctrl.Result, error) {
				panic("oh")
			}), fine},
			err: "reconciler 1: panic: oh",
		},
		"nil":                {reason: "it does not end the process", of: []ctrlreconcile.Reconciler{fine, nil}, err: "reconciler 2: the reconciler is nil", terminal: true},
		"nil pipeline":       {reason: "nor does this", of: []ctrlreconcile.Reconciler{(*reconcile.Pipeline[object])(nil), fine}, err: "reconciler 1: the reconciler is nil", terminal: true},
		"pipeline not setup": {reason: "it is named", of: []ctrlreconcile.Reconciler{reconcile.NewPipeline[object]("web"), fine}, err: "pipeline web: pipeline web: Reconcile was called before Setup", terminal: true},
	} {
		t.Run(name, func(t *testing.T) {
			ran := 0
			last := ctrlreconcile.Func(func(context.Context, ctrl.Request) (ctrl.Result, error) { ran++; return ctrl.Result{}, nil })
			if len(test.of) > 1 {
				test.of = append(test.of, last)
			}
			got, err := reconcile.Several(test.of...).Reconcile(t.Context(), ctrl.Request{})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s: result (-want +got):\n%s", test.reason, diff)
			}
			if textOf(err) != test.err {
				t.Errorf("%s: err = %q, want %q", test.reason, textOf(err), test.err)
			}
			if terminal := errors.Is(err, ctrlreconcile.TerminalError(nil)); terminal != test.terminal {
				t.Errorf("%s: terminal for controller-runtime = %v", test.reason, terminal)
			}
			if len(test.of) > 1 && ran != 1 {
				t.Errorf("%s: the last one ran %d times", test.reason, ran)
			}
		})
	}
}
