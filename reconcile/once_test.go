package reconcile_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/trueup-dev/trueup/reconcile"
)

func TestOnce(t *testing.T) {
	j, passes := &journal{}, newPasses(t)
	outcome := returned{result: reconcile.Wait("W", "w")}
	once := reconcile.Once(reconcile.Func("a", func(context.Context, run) (reconcile.Result, error) {
		j.note("a")
		return outcome.result, outcome.err
	}))
	pass := func(reason string, want returned, ran ...string) {
		t.Helper()
		if _, got, err := passes.do(once); got != want.result || !errors.Is(err, want.err) {
			t.Errorf("%s: got %v, %v", reason, got, err)
		}
		j.want(t, reason, ran...)
	}
	pass("waits", outcome, "a")
	outcome = returned{err: errors.New("boom")}
	pass("fails", outcome, "a")
	outcome = returned{result: reconcile.Continue.After(time.Second)}
	pass("wants to run again", outcome, "a")
	outcome = returned{}
	pass("is done", outcome, "a")
	outcome = returned{err: errors.New("must not run")}
	pass("does not run again", returned{})
	outcome = returned{}
	passes.object.Generation++
	pass("another generation", outcome, "a")
	pass("is done again", outcome)
	if _, _, err := passes.do(reconcile.When(has("on"), once)); err != nil {
		t.Error(err)
	}
	pass("undone in between", outcome, "a")
	passes.env.Memory = reconcile.NewMemory()
	pass("a restart forgets", outcome, "a")
}
