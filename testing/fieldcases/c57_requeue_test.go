package fieldcases_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/trueup-dev/trueup/reconcile"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C57: the requeue of an earlier step is dropped.
// https://github.com/pulp/pulp-operator/issues/747
func c57() fieldCase {
	type outcome struct {
		result reconcile.Result
		err    error
	}
	var script [4]outcome
	var ran []int
	scripted := func(i int) reconcile.Step[*v1.MyApp] {
		return reconcile.Func(fmt.Sprintf("scripted-%d", i+1), func(context.Context, *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
			ran = append(ran, i+1)
			return script[i].result, script[i].err
		})
	}
	return fieldCase{
		id: "C57",
		trueup: func(*world.Process) pipeline {
			return reconcile.NewPipeline(operator.Name, scripted(0), scripted(1), scripted(2), scripted(3), operator.Summary())
		},
		naive: func(*world.Process) *naive.Reconciler {
			return &naive.Reconciler{Helpers: func() error {
				for i := range script {
					result, err := script[i].result, script[i].err
					ran = append(ran, i+1)
					if err != nil {
						return err
					}
					_ = result // the helper has asked for it, and nobody looks
				}
				return nil
			}}
		},
		shows: "30 s: there are 0 timed passes",
		run: func(w *world.World) {
			app := w.App("web")
			w.Settle()
			after := func(seconds int) outcome {
				return outcome{result: reconcile.Continue.After(time.Duration(seconds) * time.Second)}
			}
			boom := errors.New("boom")
			for _, test := range []struct {
				name   string
				script [4]outcome
				ran    []int
				after  time.Duration
				err    error
			}{
				{name: "30 s", script: [4]outcome{1: after(30)}, ran: []int{1, 2, 3, 4}, after: 30 * time.Second},
				{name: "30 s and 10 s", script: [4]outcome{after(30), after(10)}, ran: []int{1, 2, 3, 4}, after: 10 * time.Second},
				{name: "30 s and an error", script: [4]outcome{0: after(30), 2: {err: boom}}, ran: []int{1, 2, 3}, err: boom},
				{name: "halted with 30 s", script: [4]outcome{{result: reconcile.Halt("Halted", "for now").After(30 * time.Second)}}, ran: []int{1}, after: 30 * time.Second},
			} {
				w.Mark()
				script, ran = test.script, nil
				pass := app.Pass()
				w.Same(test.name+": steps that ran", test.ran, ran)
				w.Expect(errors.Is(pass.Err, test.err) && (pass.Err == nil) == (test.err == nil), "%s: error %v, want %v", test.name, pass.Err, test.err)
				w.Same(test.name+": RequeueAfter", test.after, pass.Result.RequeueAfter)
				if test.err != nil {
					w.Expect(pass.Result.IsZero(), "%s: an error with %v", test.name, pass.Result)
				}
				if test.name == "halted with 30 s" {
					w.Same(test.name+": status writes", 1, w.Count(world.WritesTo("myapps/status")))
				}

				// Only time passes: no event is needed for the next pass, and there is one.
				script = [4]outcome{}
				w.Settle()
				w.Mark()
				w.Advance(test.after + time.Second)
				timed := 0
				for _, again := range app.Passes {
					if again.Result.IsZero() && again.Err == nil {
						timed++
						w.Expect(test.err != nil || again.At.Sub(pass.At) == test.after, "%s: the timed pass is after %s", test.name, again.At.Sub(pass.At))
					}
				}
				w.Expect(timed == 1, "%s: there are %d timed passes, want 1", test.name, timed)
				w.Mark()
				pass = app.Pass()
				w.Expect(pass.Err == nil && pass.Result.IsZero() && !app.Timed(), "%s: afterwards %v, %v", test.name, pass.Result, pass.Err)
			}
		},
	}
}
