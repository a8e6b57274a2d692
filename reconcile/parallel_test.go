package reconcile_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trueup-dev/trueup/reconcile"
)

// returns makes a step of an outcome.
func (r returned) step(name string) step {
	act := func(context.Context, run) (reconcile.Result, error) { return r.result, r.err }
	return reconcile.Func(name, act).Undo(act)
}

func TestParallelJoinsAsAllDoes(t *testing.T) {
	boom, no := errors.New("boom"), reconcile.Terminal(errors.New("no"))
	for name, outcomes := range map[string][]returned{
		"nothing":   {},
		"continue":  {{}, {}, {}},
		"soonest":   {{result: reconcile.Continue.After(time.Minute)}, {result: reconcile.Continue.After(time.Second)}},
		"first":     {{result: reconcile.Wait("A", "a")}, {result: reconcile.Wait("B", "b")}},
		"severest":  {{result: reconcile.Halt("H", "h").After(time.Second)}, {}, {result: reconcile.Wait("W", "w")}},
		"error":     {{err: boom}, {result: reconcile.Wait("W", "w").After(time.Second)}},
		"transient": {{err: no}, {err: boom}},
		"terminal":  {{err: no}, {}},
	} {
		t.Run(name, func(t *testing.T) {
			steps := make([]step, len(outcomes))
			for i, outcome := range outcomes {
				steps[i] = outcome.step(names(i + 1)[i])
			}
			for kind, method := range map[string]func(step, run) (reconcile.Result, error){
				"Reconcile": func(s step, pass run) (reconcile.Result, error) { return s.Reconcile(t.Context(), pass) },
				"Finalize":  func(s step, pass run) (reconcile.Result, error) { return s.Finalize(t.Context(), pass) },
			} {
				forward := slices.Clone(steps)
				if kind == "Finalize" { // All goes backward, Parallel has no order
					slices.Reverse(forward)
				}
				want, wantErr := method(reconcile.All(forward...), newRun(t))
				got, err := method(reconcile.Parallel(steps...), newRun(t))
				if got != want || textOf(err) != textOf(wantErr) || reconcile.IsTerminal(err) != reconcile.IsTerminal(wantErr) {
					t.Errorf("%s: got %v, %v; want what All returns: %v, %v", kind, got, err, want, wantErr)
				}
			}
		})
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// The reports are in the order of the steps, whichever ends first.
func TestParallelReportsInPipelineOrder(t *testing.T) {
	turn := make(chan struct{})
	last := reconcile.Func("a", func(ctx context.Context, _ run) (reconcile.Result, error) {
		select {
		case <-turn:
			return reconcile.Continue, nil
		case <-ctx.Done():
			return reconcile.Result{}, ctx.Err()
		}
	})
	first := reconcile.Func("b", func(context.Context, run) (reconcile.Result, error) {
		defer close(turn)
		panic("b is broken")
	})
	pass := newRun(t)
	_, err := pass.Do(t.Context(), reconcile.Parallel[object](last, first, returned{}.step("c")))
	if want := "step b: panic: b is broken"; textOf(err) != want {
		t.Errorf("err = %v, want %s", err, want)
	}
	var got []string
	for _, report := range pass.Reports() {
		got = append(got, report.Step+" "+report.State.String())
	}
	if diff := cmp.Diff([]string{"a Ready", "b Failed", "c Ready"}, got); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

// Reporting steps change the object: they never run at the same time.
func TestParallelRunsReportingStepsOneAfterTheOther(t *testing.T) {
	count := 0
	var steps []step
	for _, name := range names(8) {
		steps = append(steps, reporting{reconcile.Func(name, func(context.Context, run) (reconcile.Result, error) {
			count++ // the race detector watches
			return reconcile.Continue, nil
		})})
	}
	if _, err := newRun(t).Do(t.Context(), reconcile.Parallel(steps...)); err != nil || count != 8 {
		t.Errorf("%d reporting steps ran, err = %v", count, err)
	}
}
