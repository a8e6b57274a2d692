package reconcile_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

func TestWrapGoesAroundBothWays(t *testing.T) {
	j := &journal{}
	wrapped := reconcile.Wrap(j.step("a", returned{}), func(ctx context.Context, pass run, next reconcile.Action[object]) (reconcile.Result, error) {
		j.note("before")
		defer j.note("after")
		if _, err := next(ctx, pass); err != nil {
			return reconcile.Result{}, err
		}
		return reconcile.Wait("Wrapped", "w"), nil
	})
	pass := newRun(t)
	got, err := pass.Do(t.Context(), wrapped)
	if got != reconcile.Wait("Wrapped", "w") || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if report := pass.Reports()[0]; report.Step != "a" || report.Reason != "Wrapped" {
		t.Errorf("report = %+v, want the outcome of what is around the step", report)
	}
	j.want(t, "forward", "before", "a", "after")
	if _, err := wrapped.Finalize(t.Context(), newRun(t)); err != nil {
		t.Error(err)
	}
	j.want(t, "backward", "before", "undo a", "after")
}

// What goes around a combinator goes around its work, not around its reporting.

func TestWrapLeavesReportingAlone(t *testing.T) {
	j := &journal{}
	wrapped := reconcile.Wrap(reconcile.Sequence[object](j.step("a", returned{}), reporting{j.step("status", returned{})}),
		func(ctx context.Context, pass run, next reconcile.Action[object]) (reconcile.Result, error) {
			j.note("around")
			return next(ctx, pass)
		})
	if _, err := newRun(t).Do(t.Context(), wrapped); err != nil {
		t.Error(err)
	}
	j.want(t, "once", "around", "a", "status")
}

// allWrappers are all that go around a step and should not lose anything of it.

func allWrappers() map[string]func(step) step {
	return map[string]func(step) step{
		"Wrap": func(s step) step {
			return reconcile.Wrap(s, func(ctx context.Context, pass run, next reconcile.Action[object]) (reconcile.Result, error) {
				return next(ctx, pass)
			})
		},
		"Timeout": func(s step) step { return reconcile.Timeout(time.Minute, s) },
		"Retry":   func(s step) step { return reconcile.Retry(2, 0, s) },
		"Catch": func(s step) step {
			return reconcile.Catch(s, func(_ context.Context, _ run, err error) (reconcile.Result, error) { return reconcile.Result{}, err })
		},
		"Finally": func(s step) step {
			return reconcile.Finally(s, func(context.Context, run, reconcile.Result, error) error { return nil })
		},
		"Once": reconcile.Once[object],
	}
}

func TestWrappersAreCheckedAtSetup(t *testing.T) {
	a := returned{}.step("a")
	for want, wrong := range map[string]step{
		"step a: Wrap: the function is nil":                     reconcile.Wrap(a, nil),
		"step a: Catch: the function is nil":                    reconcile.Catch(a, nil),
		"step a: Finally: the function is nil":                  reconcile.Finally(a, nil),
		"step a: Timeout: 0s leaves no time":                    reconcile.Timeout(0, a),
		"step a: Retry: 0 tries are less than 1":                reconcile.Retry(0, 0, a),
		"step a: Retry: the pause of -1ns is negative":          reconcile.Retry(1, -1, a),
		"step a: Retry: the pauses of 10 tries from 1s on add":  reconcile.Retry(10, time.Second, a),
		"step a: Retry: the pauses of 99 tries from 1ns on add": reconcile.Retry(99, 1, a),
		"step a: Retry: the pauses of 20 tries from 5h":         reconcile.Retry(20, 5*time.Hour, a),
		"step nil: the step is nil":                             reconcile.Once[object](nil),
	} {
		_, err := newRun(t).Do(t.Context(), wrong)
		if !reconcile.IsTerminal(err) || !strings.Contains(textOf(err), want) {
			t.Errorf("err = %v, want a terminal one that says %s", err, want)
		}
	}
}

// telling is a step that has everything to say of itself.

type telling struct{ step }

func (t telling) Describe() reconcile.Description {
	about := t.step.Describe()
	about.Finalizers = []string{"example.com/" + about.Name}
	about.FormerFinalizers = []string{"example.com/old-" + about.Name}
	about.FormerNames = []string{"old-" + about.Name}
	about.Owns = []client.Object{&corev1.Secret{}}
	about.Watches = []reconcile.Watch{{Object: &corev1.Service{}, Index: "i"}}
	about.Indexes = []reconcile.Index{{Object: &corev1.Secret{}, Name: "i"}}
	about.Access = []reconcile.Access{{Object: &corev1.Secret{}, Verbs: []string{"get"}}}
	return about
}

// told is what of a description must not get lost.

func told(about reconcile.Description) (all []reconcile.Description) {
	about.Walk(func(about reconcile.Description) {
		if about.Steps == nil {
			about.FinalizersWhen = nil // may be narrowed
			all = append(all, about)
		}
	})
	return all
}

func TestWrappersKeepTheDescription(t *testing.T) {
	inner := telling{returned{}.step("a")}
	for name, wrap := range allWrappers() {
		if diff := cmp.Diff(told(inner.Describe()), told(wrap(inner).Describe())); diff != "" {
			t.Errorf("%s lost something of the description (-want +got):\n%s", name, diff)
		}
	}
}
