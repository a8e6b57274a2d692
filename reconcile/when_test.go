package reconcile_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/trueup-dev/trueup/reconcile"
)

// passes makes passes over one object that remember each other.

type passes struct {
	t      *testing.T
	env    reconcile.Environment
	object object
}

func newPasses(t *testing.T) *passes {
	t.Helper()
	return &passes{
		t: t, env: reconcile.Environment{Client: fake.NewClientBuilder().Build(), Memory: reconcile.NewMemory()},
		object: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b", UID: "1", Generation: 1}, Data: map[string]string{}},
	}
}

// do makes a pass over the object with the given data, key and value in turns.

func (p *passes) do(step step, data ...string) (run, reconcile.Result, error) {
	p.t.Helper()
	for i := 0; i < len(data); i += 2 {
		p.object.Data[data[i]] = data[i+1]
	}
	pass, err := reconcile.NewRun(p.env, "test", p.object.DeepCopy())
	if err != nil {
		p.t.Fatal(err)
	}
	result, err := pass.Do(p.t.Context(), step)
	return pass, result, err
}

// has returns a condition: the object has a value under a key.

func has(key string) func(object) bool { return func(o object) bool { return o.Data[key] != "" } }

func (j *journal) want(t *testing.T, reason string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, j.ran); diff != "" {
		t.Errorf("%s (-want +got):\n%s", reason, diff)
	}
	j.ran = nil
}

func TestWhen(t *testing.T) {
	j, passes := &journal{}, newPasses(t)
	goes := returned{result: reconcile.Wait("Deleting", "b goes")}
	undoB := &goes
	b := j.step("b", returned{}).Undo(func(_ context.Context, pass run) (reconcile.Result, error) {
		j.note("undo b")
		if !pass.Retiring() || pass.Deleting() {
			t.Error("b is not told why it is undone")
		}
		return undoB.result, undoB.err
	})
	counted := 0
	when := reconcile.When(has("on"), j.step("a", returned{}), b,
		reporting{reconcile.Func("count", func(context.Context, run) (reconcile.Result, error) {
			counted++
			return reconcile.Continue, nil
		})})

	if _, got, err := passes.do(when, "on", "yes"); got != reconcile.Continue || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	j.want(t, "wanted", "a", "b")
	pass, got, err := passes.do(when, "on", "")
	if got != goes.result || err != nil {
		t.Errorf("got %v, %v; want %v", got, err, goes.result)
	}
	j.want(t, "not wanted any more: the last first, the others when it is gone", "undo b")
	if report := pass.Reports()[0]; report.Step != "b" || report.State != reconcile.StateWaiting {
		t.Errorf("report = %+v, want it to tell what goes", report)
	}
	undoB = &returned{err: errors.New("boom")}
	if _, _, err := passes.do(when); textOf(err) != "step b: boom" {
		t.Errorf("err = %v", err)
	}
	undoB = &returned{}
	j.ran = nil
	if _, got, err := passes.do(when); got != reconcile.Continue || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	j.want(t, "gone", "undo b", "undo a")
	if _, got, err := passes.do(when); got != reconcile.Continue || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	j.want(t, "what is undone is not undone again")
	if _, _, err = passes.do(when, "on", "yes"); err != nil {
		t.Error(err)
	}
	j.want(t, "wanted again", "a", "b")
	if _, _, err = passes.do(when, "on", ""); err != nil {
		t.Error(err)
	}
	j.want(t, "and not", "undo b", "undo a")
	if counted != 2 {
		t.Errorf("the reporting step ran %d times, want only while it was wanted", counted)
	}
}

// What goes has to be gone before the chosen branch runs, or the other way around.

// A function that chooses is the author's: what goes wrong in it shows.

func TestAFailureOfACombinatorShows(t *testing.T) {
	pass, _, err := newPasses(t).do(reconcile.When(func(object) bool { panic("oh") }, returned{}.step("a")).Named("optional"))
	if textOf(err) != "step optional: panic: oh" {
		t.Errorf("err = %v", err)
	}
	if got := pass.Reports(); len(got) != 1 || got[0].Step != "optional" || got[0].State != reconcile.StateFailed || got[0].Reason != "Panicked" {
		t.Errorf("reports = %+v", got)
	}
}
