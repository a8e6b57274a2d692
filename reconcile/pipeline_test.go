package reconcile_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
)

type (
	app    = *v1.MyApp
	appRun = *reconcile.Run[app]
)

const ourFinalizer = "apps.example.com/test"

func TestAMissingObjectIsTheEnd(t *testing.T) {
	script := &scripted{}
	b := newPipelineBench(t, script.step("work"))
	b.want("first pass")
	if b.Environment.Memory.Len() != 1 {
		t.Errorf("%d objects are remembered, want 1", b.Environment.Memory.Len())
	}
	if err := b.User.Delete(t.Context(), b.app); err != nil {
		t.Fatal(err)
	}
	b.caughtUp()
	b.want("after it is gone")
	if !slices.Equal(script.calls, []string{"work"}) {
		t.Errorf("calls = %v, want none for a missing object", script.calls)
	}
	if b.Environment.Memory.Len() != 0 {
		t.Errorf("%d objects are remembered, want none: it leaks", b.Environment.Memory.Len())
	}
	b.quiet()
}

func TestFinalizersAreThereBeforeTheFirstEffect(t *testing.T) {
	var seen []string
	script := &scripted{}
	script.forward = func(run appRun) (reconcile.Result, error) {
		live := &v1.MyApp{}
		if err := run.Live().Get(t.Context(), client.ObjectKeyFromObject(run.Object()), live); err != nil {
			return reconcile.Result{}, err
		}
		seen = live.Finalizers
		return reconcile.Continue, nil
	}
	b := newPipelineBench(t, script.step("plain"), guarded{reconcile.Func("a", nothing), ourFinalizer}, guarded{reconcile.Func("b", nothing), "apps.example.com/other"})
	b.app.Finalizers = []string{"example.com/theirs"}
	if err := b.User.Update(t.Context(), b.app); err != nil {
		t.Fatal(err)
	}
	before := b.live()
	b.caughtUp()
	b.want("first pass")
	want := []string{"example.com/theirs", ourFinalizer, "apps.example.com/other"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("finalizers when the first step ran (-want +got):\n%s", diff)
	}
	b.wrote("all finalizers in one write", "patch myapps")
	after := b.live()
	if diff := cmp.Diff(before.Spec, after.Spec); diff != "" || after.Generation != before.Generation {
		t.Errorf("the spec was touched (-before +after):\n%s", diff)
	}
	for _, entry := range after.ManagedFields {
		if entry.Manager == "test" && strings.Contains(entry.FieldsV1.String(), "f:spec") {
			t.Errorf("the pipeline owns fields of the spec (C03): %s", entry.FieldsV1)
		}
	}
	script.forward = nil
	b.quiet()
}

func TestNoFinalizerWhereNoStepNeedsOne(t *testing.T) {
	b := newPipelineBench(t, reconcile.Func("a", nothing))
	b.want("first pass")
	b.wrote("nothing is written")
	b.quiet()
}

func TestDeletionUndoesInReverseAndLeavesOthersFinalizers(t *testing.T) {
	script := &scripted{}
	b := newPipelineBench(t, guarded{script.step("a"), ourFinalizer}, script.step("b"))
	b.app.Finalizers = []string{"example.com/theirs"}
	if err := b.User.Update(t.Context(), b.app); err != nil {
		t.Fatal(err)
	}
	b.caughtUp()
	b.want("first pass")
	if err := b.User.Delete(t.Context(), b.app); err != nil {
		t.Fatal(err)
	}
	b.caughtUp()
	b.Requests.Reset()
	b.want("the pass that undoes")
	if want := []string{"a", "b", "undo b", "undo a"}; !slices.Equal(want, script.calls) {
		t.Errorf("calls = %v, want %v", script.calls, want)
	}
	b.wrote("one write takes the finalizer off, and nothing follows it (C31)", "patch myapps")
	if got := b.live().Finalizers; !slices.Equal(got, []string{"example.com/theirs"}) {
		t.Errorf("finalizers = %v, want the other's only", got)
	}
	b.quiet()
	if len(script.calls) != 4 {
		t.Errorf("calls = %v: steps ran on an object that is being deleted and not held", script.calls)
	}
}

func TestAFailedUndoKeepsTheFinalizer(t *testing.T) {
	boom := errors.New("zone is locked")
	script := &scripted{}
	script.back = func(appRun) (reconcile.Result, error) { return reconcile.Result{}, boom }
	b := newPipelineBench(t, guarded{script.step("a"), ourFinalizer}, countReplicas(7))
	b.want("first pass")
	if err := b.User.Delete(t.Context(), b.app); err != nil {
		t.Fatal(err)
	}
	b.caughtUp()
	for range 3 {
		if _, err := b.pass(); !errors.Is(err, boom) {
			t.Fatalf("err = %v, want %v", err, boom)
		}
	}
	if got := b.live().Finalizers; !slices.Equal(got, []string{ourFinalizer}) {
		t.Errorf("finalizers = %v, want ours to hold it (C25)", got)
	}
	if got := b.Events.All(); len(got) != 1 || !strings.Contains(got[0], "zone is locked") {
		t.Errorf("events = %q, want the failure, once", got)
	}
	script.back = nil
	b.caughtUp()
	b.want("when it works again")
	b.caughtUp()
	if err := b.User.Get(t.Context(), client.ObjectKeyFromObject(b.app), &v1.MyApp{}); !apierrors.IsNotFound(err) {
		t.Errorf("get: %v, want it gone", err)
	}
	b.quiet()
}

func TestStepsNeverRunForwardOnAnObjectThatIsBeingDeleted(t *testing.T) {
	// The cache does not show the deletion yet; the finalizer write finds out.
	script := &scripted{}
	b := newPipelineBench(t, guarded{script.step("a"), ourFinalizer})
	b.app.Finalizers = []string{"example.com/theirs"}
	if err := b.User.Update(t.Context(), b.app); err != nil {
		t.Fatal(err)
	}
	b.caughtUp()
	b = b.behind()
	if err := b.User.Delete(t.Context(), b.app); err != nil {
		t.Fatal(err)
	}
	b.want("the pass that finds out")
	if len(script.calls) != 0 {
		t.Errorf("calls = %v, want none", script.calls)
	}
	if got := b.live().Finalizers; !slices.Equal(got, []string{"example.com/theirs"}) {
		t.Errorf("finalizers = %v: one was added to an object that is being deleted", got)
	}
}

func TestTheStatusIsWrittenWhateverTheOutcome(t *testing.T) {
	boom := errors.New("boom")
	for name, test := range map[string]struct {
		outcome returned
		want    ctrl.Result
		wantErr error
	}{
		"continue":       {},
		"continue after": {outcome: returned{result: reconcile.Continue.After(time.Hour)}, want: ctrl.Result{RequeueAfter: time.Hour}},
		"wait":           {outcome: returned{result: reconcile.Wait("W", "w")}},
		"halt":           {outcome: returned{result: reconcile.Halt("H", "h").After(time.Hour)}, want: ctrl.Result{RequeueAfter: time.Hour}},
		"error":          {outcome: returned{err: boom}, wantErr: boom},
		"terminal":       {outcome: returned{err: reconcile.Terminal(boom)}, wantErr: boom},
	} {
		t.Run(name, func(t *testing.T) {
			script := &scripted{forward: func(appRun) (reconcile.Result, error) { return test.outcome.result, test.outcome.err }}
			b := newPipelineBench(t, countReplicas(3), script.step("work"))
			got, err := b.pass()
			if got != test.want || !errors.Is(err, test.wantErr) {
				t.Errorf("got %v, %v; want %v, %v, also when the status was written", got, err, test.want, test.wantErr)
			}
			if n := b.live().Status.Replicas; n != 3 {
				t.Errorf("status.replicas = %d, want 3", n)
			}
			b.wrote("one status write", "patch myapps/status")
			b.quiet()
		})
	}
}

func TestAFailingReporterKeepsNothingFromBeingWritten(t *testing.T) {
	boom := errors.New("boom")
	b := newPipelineBench(t,
		reporter{name: "panics", compute: func(appRun) (reconcile.Result, error) { panic("oh") }},
		reporter{name: "fails", compute: func(appRun) (reconcile.Result, error) {
			return reconcile.Result{}, boom
		}},
		reconcile.Sequence(countReplicas(3)), // also from within a combinator
	)
	_, err := b.pass()
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), "panic: oh") {
		t.Errorf("err = %v, want both failures", err)
	}
	if n := b.live().Status.Replicas; n != 3 {
		t.Errorf("status.replicas = %d, want 3", n)
	}
	b.quiet()
}

func TestAStatusConflictIsMergedWithoutRunningTheStepsAgain(t *testing.T) {
	script := &scripted{}
	b := newPipelineBench(t, script.step("work"), reporter{name: "ready", compute: func(run appRun) (reconcile.Result, error) {
		run.Object().Status.Replicas = 3
		meta.SetStatusCondition(&run.Object().Status.Conditions, metav1.Condition{Type: "Ready", Status: "True", Reason: "Available"})
		return reconcile.Continue, nil
	}})
	script.forward = func(appRun) (reconcile.Result, error) {
		// Somebody else writes while this pass is on its way (C09).
		live := b.live()
		live.Status.Selector = "theirs"
		meta.SetStatusCondition(&live.Status.Conditions, metav1.Condition{Type: "Audited", Status: "True", Reason: "Seen"})
		return reconcile.Continue, b.User.Status().Update(t.Context(), live)
	}
	b.want("the pass with a conflict")
	if len(script.calls) != 1 {
		t.Errorf("the steps ran %d times, want once", len(script.calls))
	}
	b.wrote("the refused write and its repetition", "patch myapps/status", "patch myapps/status")
	got := b.live().Status
	if got.Replicas != 3 || got.Selector != "theirs" {
		t.Errorf("status = %+v, want what both wrote", got)
	}
	if !meta.IsStatusConditionTrue(got.Conditions, "Ready") || !meta.IsStatusConditionTrue(got.Conditions, "Audited") {
		t.Errorf("conditions = %+v, want both writers'", got.Conditions)
	}
	script.forward = nil
	b.quiet()
}

func TestReconcileBeforeSetupIsAnError(t *testing.T) {
	pipeline := reconcile.NewPipeline("test", reconcile.Func("a", nothing))
	_, err := pipeline.Reconcile(t.Context(), ctrl.Request{})
	if err == nil || !reconcile.IsTerminal(err) || !strings.Contains(err.Error(), "before Setup") {
		t.Errorf("err = %v, want a terminal one that says so", err)
	}
}
