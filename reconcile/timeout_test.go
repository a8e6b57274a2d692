package reconcile_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/trueup-dev/trueup/reconcile"
)

func TestTimeout(t *testing.T) {
	blocks := reconcile.Func("a", func(ctx context.Context, _ run) (reconcile.Result, error) {
		<-ctx.Done()
		return reconcile.Result{}, ctx.Err()
	})
	pass := newRun(t)
	_, err := pass.Do(t.Context(), reconcile.Timeout(time.Millisecond, blocks))
	if want := "step a: not done within 1ms: context deadline exceeded"; textOf(err) != want || reconcile.IsTerminal(err) {
		t.Errorf("err = %v, want %s", err, want)
	}
	if report := pass.Reports()[0]; report.Reason != "TimedOut" {
		t.Errorf("report = %+v", report)
	}
	pass = newRun(t)
	_, err = pass.Do(t.Context(), reconcile.Timeout(time.Millisecond, reconcile.All[object](blocks, returned{}.step("b"))))
	if want := "step a: context deadline exceeded"; textOf(err) != want || pass.Reports()[0].Reason != "TimedOut" {
		t.Errorf("err = %v, report = %+v, want %s", err, pass.Reports()[0], want)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newRun(t).Do(ended, reconcile.Timeout(time.Hour, blocks)); !errors.Is(err, context.Canceled) || strings.Contains(textOf(err), "not done within") {
		t.Errorf("err = %v, want that of the pass, which has ended", err)
	}
	late := reconcile.Func("a", func(ctx context.Context, _ run) (reconcile.Result, error) {
		<-ctx.Done()
		return reconcile.Continue, nil
	})
	if got, err := newRun(t).Do(t.Context(), reconcile.Timeout(time.Millisecond, late)); got != reconcile.Continue || err != nil {
		t.Errorf("got %v, %v: what was done late is done", got, err)
	}
}
