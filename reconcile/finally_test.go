package reconcile_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/trueup-dev/trueup/reconcile"
)

func TestFinally(t *testing.T) {
	boom, bang := errors.New("boom"), errors.New("bang")
	for name, test := range map[string]struct {
		of      returned
		err     error
		wantErr string
	}{
		"fine":    {},
		"waits":   {of: returned{result: reconcile.Wait("W", "w")}},
		"fails":   {of: returned{err: boom}, wantErr: "step a: boom"},
		"after":   {err: bang, wantErr: "step a: bang"},
		"both":    {of: returned{err: boom}, err: bang, wantErr: "step a: boom; step a: bang"},
		"requeue": {of: returned{result: reconcile.Continue.After(time.Second)}, err: bang, wantErr: "step a: bang (asked to run again after 1s)"},
	} {
		t.Run(name, func(t *testing.T) {
			var saw returned
			got, err := newRun(t).Do(t.Context(), reconcile.Finally(test.of.step("a"), func(_ context.Context, _ run, result reconcile.Result, err error) error {
				saw = returned{result, err}
				return test.err
			}))
			if saw != test.of || textOf(err) != test.wantErr || err == nil && got != test.of.result {
				t.Errorf("got %v, %v after %v", got, err, saw)
			}
		})
	}
	late := reconcile.Finally(returned{err: boom}.step("a"), func(context.Context, run, reconcile.Result, error) error { panic("oh") })
	if _, err := newRun(t).Do(t.Context(), late); textOf(err) != "step a: boom; step a: panic: oh" {
		t.Errorf("err = %v, want the step's own beside the panic", err)
	}
	after := false
	_, err := newRun(t).Do(t.Context(), reconcile.Finally(reconcile.Func("a", func(context.Context, run) (reconcile.Result, error) { panic("oh") }),
		func(_ context.Context, _ run, _ reconcile.Result, err error) error {
			after = err != nil
			return nil
		}))
	if textOf(err) != "step a: panic: oh" || !after {
		t.Errorf("err = %v, called after a panic: %v", err, after)
	}
}
