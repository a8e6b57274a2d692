package reconcile_test

import (
	"context"
	"errors"
	"testing"

	"github.com/trueup-dev/trueup/reconcile"
)

func TestCatch(t *testing.T) {
	boom := errors.New("boom")
	later := reconcile.Wait("Later", "l")
	handle := func(_ context.Context, _ run, err error) (reconcile.Result, error) {
		if errors.Is(err, boom) {
			return later, nil
		}
		return reconcile.Result{}, reconcile.Terminal(err)
	}
	panics := reconcile.Func("a", func(context.Context, run) (reconcile.Result, error) { panic("oh") })
	for name, test := range map[string]struct {
		reason  string
		step    step
		want    reconcile.Result
		wantErr string
	}{
		"caught":   {"the handler has the word", returned{err: boom}.step("a"), later, ""},
		"returned": {"also with another error", returned{err: errors.New("x")}.step("a"), reconcile.Continue, "step a: x"},
		"panic":    {"a panic is an error", panics, reconcile.Continue, "step a: panic: oh"},
		"none":     {"without an error there is nothing to handle", returned{result: reconcile.Halt("H", "h")}.step("a"), reconcile.Halt("H", "h"), ""},
		"joined":   {"a combinator's errors come joined", reconcile.All(returned{err: boom}.step("a"), returned{}.step("b")), later, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := newRun(t).Do(t.Context(), reconcile.Catch(test.step, handle))
			if got != test.want || textOf(err) != test.wantErr || err != nil && !reconcile.IsTerminal(err) {
				t.Errorf("%s: got %v, %v", test.reason, got, err)
			}
		})
	}
	falls := func(context.Context, run, error) (reconcile.Result, error) { panic("oh") }
	if _, err := newRun(t).Do(t.Context(), reconcile.Catch(returned{err: boom}.step("a"), falls)); textOf(err) != "step a: boom; step a: panic: oh" {
		t.Errorf("err = %v, want the step's own beside the panic", err)
	}
	retired := reconcile.When(has("never"), reconcile.Catch(returned{err: boom}.step("a"), handle))
	if _, err := newRun(t).Do(t.Context(), retired); !errors.Is(err, boom) {
		t.Errorf("err = %v: what fails while a step is undone is not caught", err)
	}
}
