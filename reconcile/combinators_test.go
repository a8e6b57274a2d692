package reconcile_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/trueup-dev/trueup/reconcile"
)

type (
	object = *corev1.ConfigMap
	run    = *reconcile.Run[object]
	step   = reconcile.Step[object]
)

// newRun starts a pass over an object of no consequence.
func newRun(t *testing.T) run {
	t.Helper()
	env := reconcile.Environment{Client: fake.NewClientBuilder().Build()}
	pass, err := reconcile.NewRun(env, "test", &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b"}})
	if err != nil {
		t.Fatal(err)
	}
	return pass
}

// script makes steps with given outcomes and notes which of them ran.
type script struct{ ran []string }

func (s *script) step(name string, outcome returned) step {
	return reconcile.Func(name, func(context.Context, run) (reconcile.Result, error) {
		s.ran = append(s.ran, name)
		return outcome.result, outcome.err
	}).Undo(func(context.Context, run) (reconcile.Result, error) {
		s.ran = append(s.ran, "undo "+name)
		return outcome.result, outcome.err
	})
}

func (s *script) steps(outcomes ...returned) []step {
	var steps []step
	for i, outcome := range outcomes {
		steps = append(steps, s.step(string(rune('a'+i)), outcome))
	}
	return steps
}

func TestSequenceAndAll(t *testing.T) {
	boom := errors.New("boom")
	no := reconcile.Terminal(errors.New("no"))
	for name, test := range map[string]struct {
		reason      string
		outcomes    []returned
		sequenceRan []string
		want        reconcile.Result // of both
		wantErr     error
	}{
		"continue": {
			reason:      "later steps run",
			outcomes:    []returned{{}, {}, {}},
			sequenceRan: []string{"a", "b", "c"},
		},
		"continue after": {
			reason:      "later steps run, and the soonest requeue is kept (C57)",
			outcomes:    []returned{{result: reconcile.Continue.After(30 * time.Second)}, {result: reconcile.Continue.After(10 * time.Second)}, {}},
			sequenceRan: []string{"a", "b", "c"},
			want:        reconcile.Continue.After(10 * time.Second),
		},
		"wait": {
			reason:      "later steps are skipped, a watch wakes it",
			outcomes:    []returned{{}, {result: reconcile.Wait("W", "w")}, {}},
			sequenceRan: []string{"a", "b"},
			want:        reconcile.Wait("W", "w"),
		},
		"halt": {
			reason:      "later steps are skipped, requeued as asked (C57)",
			outcomes:    []returned{{result: reconcile.Halt("H", "h").After(30 * time.Second)}, {}, {}},
			sequenceRan: []string{"a"},
			want:        reconcile.Halt("H", "h").After(30 * time.Second),
		},
		"error": {
			reason:      "later steps are skipped, the error is returned",
			outcomes:    []returned{{result: reconcile.Continue.After(30 * time.Second)}, {err: boom}, {}},
			sequenceRan: []string{"a", "b"},
			wantErr:     boom,
		},
		"terminal": {
			reason:      "later steps are skipped, the error stays terminal",
			outcomes:    []returned{{err: no}, {}},
			sequenceRan: []string{"a"},
			wantErr:     no,
		},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(kind string, combinator step, script *script, wantRan []string) {
				got, err := newRun(t).Do(t.Context(), combinator)
				if got != test.want || !errors.Is(err, test.wantErr) || reconcile.IsTerminal(err) != reconcile.IsTerminal(test.wantErr) {
					t.Errorf("%s: %s returned %v, %v; want %v, %v", test.reason, kind, got, err, test.want, test.wantErr)
				}
				if diff := cmp.Diff(wantRan, script.ran); diff != "" {
					t.Errorf("%s: steps that %s ran (-want +got):\n%s", test.reason, kind, diff)
				}
			}
			first := &script{}
			check("Sequence", reconcile.Sequence(first.steps(test.outcomes...)...), first, test.sequenceRan)
			all := []string{"a", "b", "c"}[:len(test.outcomes)]
			second := &script{}
			check("All", reconcile.All(second.steps(test.outcomes...)...), second, all)
		})
	}
}

func TestFinalizeGoesInReverse(t *testing.T) {
	boom := errors.New("boom")
	outcomes := []returned{{}, {err: boom}, {}}

	forSequence := &script{}
	_, err := reconcile.Sequence(forSequence.steps(outcomes...)...).Finalize(t.Context(), newRun(t))
	if !errors.Is(err, boom) {
		t.Errorf("Sequence: err = %v, want %v", err, boom)
	}
	if want := []string{"undo c", "undo b"}; !slices.Equal(want, forSequence.ran) {
		t.Errorf("Sequence undid %v, want %v: what was made before waits for what was made after", forSequence.ran, want)
	}

	forAll := &script{}
	_, err = reconcile.All(forAll.steps(outcomes...)...).Finalize(t.Context(), newRun(t))
	if !errors.Is(err, boom) {
		t.Errorf("All: err = %v, want %v", err, boom)
	}
	if want := []string{"undo c", "undo b", "undo a"}; !slices.Equal(want, forAll.ran) {
		t.Errorf("All undid %v, want %v", forAll.ran, want)
	}
}

func TestEveryOutcomeShowsInTheReport(t *testing.T) {
	no := reconcile.WithReason("InvalidSpec", reconcile.Terminal(errors.New("no")))
	boom := errors.New("boom")
	script := &script{}
	pass := newRun(t)
	_, err := pass.Do(t.Context(), reconcile.All(script.steps(
		returned{},
		returned{result: reconcile.Continue.After(time.Second)},
		returned{result: reconcile.Wait("W", "w")},
		returned{result: reconcile.Halt("H", "h")},
		returned{err: boom},
		returned{err: no},
		returned{result: reconcile.Wait("Deadline", "exceeded").Stalled()},
	)...))
	if err == nil {
		t.Error("the errors are lost")
	}
	want := []reconcile.Report{
		{Step: "a", Condition: "AReady", State: reconcile.StateReady},
		{Step: "b", Condition: "BReady", State: reconcile.StateReady},
		{Step: "c", Condition: "CReady", State: reconcile.StateWaiting, Reason: "W", Message: "w"},
		{Step: "d", Condition: "DReady", State: reconcile.StateHalted, Reason: "H", Message: "h"},
		{Step: "e", Condition: "EReady", State: reconcile.StateFailed, Reason: "Error", Message: "boom", Err: boom},
		{Step: "f", Condition: "FReady", State: reconcile.StateStalled, Reason: "InvalidSpec", Message: "no", Err: no},
		{Step: "g", Condition: "GReady", State: reconcile.StateStalled, Reason: "Deadline", Message: "exceeded"},
	}
	same := cmp.Comparer(func(a, b error) bool { return errors.Is(a, b) || errors.Is(b, a) })
	if diff := cmp.Diff(want, pass.Reports(), same); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

func TestAPanicIsTheFailureOfItsStep(t *testing.T) {
	script := &script{}
	pass := newRun(t)
	_, err := pass.Do(t.Context(), reconcile.All(
		reconcile.Func("bad", func(context.Context, run) (reconcile.Result, error) {
			var steps []step
			return steps[len(script.ran)].Reconcile(t.Context(), nil)
		}),
		script.step("good", returned{}),
	))
	failure, ok := errors.AsType[*reconcile.StepError](err)
	if !ok || failure.Step != "bad" {
		t.Fatalf("err = %v, want the failure of step bad", err)
	}
	if reconcile.IsTerminal(err) {
		t.Error("a panic is not retried")
	}
	if !slices.Equal(script.ran, []string{"good"}) {
		t.Errorf("ran %v, want the other step to have run", script.ran)
	}
	if got := pass.Reports()[0]; got.State != reconcile.StateFailed || got.Reason != "Panicked" {
		t.Errorf("report = %+v, want Failed, Panicked", got)
	}
}

func TestAnErrorComesWithTheZeroResult(t *testing.T) {
	boom := errors.New("boom")
	got, err := newRun(t).Do(t.Context(), reconcile.Func("a", func(context.Context, run) (reconcile.Result, error) {
		return reconcile.Wait("W", "w").After(time.Second), boom
	}))
	if got != reconcile.Continue || !errors.Is(err, boom) {
		t.Errorf("got %v, %v; want the zero Result and %v", got, err, boom)
	}
}

func TestConditionType(t *testing.T) {
	for name, want := range map[string]string{
		"Deployment": "DeploymentReady",
		"dns":        "DnsReady",
		"dns-record": "DnsRecordReady",
		"a.b_c":      "ABCReady",
	} {
		if got := reconcile.ConditionType(name); got != want {
			t.Errorf("ConditionType(%q) = %q, want %q", name, got, want)
		}
	}
}

// A step with a finalizer that is run by hand would leave its effect behind.
func TestDoRefusesAStepThatNeedsAFinalizer(t *testing.T) {
	called := false
	step := needsFinalizer{reconcile.Func("dns", func(context.Context, run) (reconcile.Result, error) {
		called = true
		return reconcile.Continue, nil
	})}
	_, err := newRun(t).Do(t.Context(), reconcile.All(step))
	if !reconcile.IsTerminal(err) || !strings.Contains(err.Error(), `step "dns" needs the finalizer example.com/dns`) || called {
		t.Errorf("err = %v, called %v; want it refused", err, called)
	}
}

type needsFinalizer struct{ step }

func (n needsFinalizer) Describe() reconcile.Description {
	about := n.step.Describe()
	about.Finalizers = []string{"example.com/dns"}
	return about
}
