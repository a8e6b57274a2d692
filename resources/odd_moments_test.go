package resources_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// What a person made and deletes is not taken over while it is there.
func TestAdoptWaitsForWhatIsBeingDeleted(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap).Adopt())
	theirs := b.configMap()
	theirs.Finalizers = []string{"example.com/hold"}
	b.create(theirs)
	if err := b.User.Delete(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	b.caughtUp(theirs)
	result, err := b.pass()
	if err != nil || result.Reason() != "Deleting" || result.RequeueAfter() <= 0 {
		t.Errorf("got %v, %v; want to wait, and to look again: its events wake nobody", result, err)
	}
	b.wrote("nothing")
	b.quiet(theirs)
	b.get(theirs)
	theirs.Finalizers = nil
	b.update(theirs)
	b.caughtUp(theirs)
	b.want("when it is gone", reconcile.Continue)
	child := b.configMap()
	b.get(child)
	if child.UID == theirs.UID {
		t.Error("it is the same object, want a new one")
	}
	b.quiet(child)
}

// A test of readiness that panics is the step's failure, in each pass, and does
// not hide from later steps what was seen.
func TestATestThatPanicsLeavesWhatWasSeen(t *testing.T) {
	panics := func(*corev1.ConfigMap) resources.Readiness { panic("no idea") }
	child := resources.Ensure(desiredConfigMap).ReadyWhen(panics)
	set := resources.EnsureSet(desiredWorkers).ReadyWhen(panics)
	for name, test := range map[string]struct {
		step reconcile.Step[*v1.MyApp]
		seen func(*reconcile.Run[*v1.MyApp]) bool
	}{
		"a child": {child, func(run *reconcile.Run[*v1.MyApp]) bool { _, ok := child.Observed(run); return ok }},
		"a set": {set, func(run *reconcile.Run[*v1.MyApp]) bool {
			children, ok := set.Observed(run)
			return ok && len(children) == 1
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, test.step)
			b.workers("a")
			for pass := range 3 {
				_, run, err := b.run()
				if err == nil || !strings.Contains(err.Error(), "panic: no idea") {
					t.Errorf("pass %d: err = %v, want the panic", pass, err)
				}
				if !test.seen(run) {
					t.Errorf("pass %d: nothing is observed", pass)
				}
			}
			if writes := b.writes(); len(writes) != 1 {
				t.Errorf("writes = %v, want one", writes)
			}
		})
	}
}
