package reconcile_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trueup-dev/trueup/reconcile"
)

// A finalizer is on the object only while what it guards is wanted, and until that
// is undone.
func TestAWhenPutsFinalizersOnWhatWantsThem(t *testing.T) {
	s := &scripted{}
	undone := reconcile.Wait("Releasing", "busy")
	s.back = func(appRun) (reconcile.Result, error) { return undone, nil }
	b := newPipelineBench(t, reconcile.When(func(app app) bool { return app.Spec.Image == "on" },
		guarded{s.step("dns"), "example.com/dns"}))
	set := func(image string) {
		live := b.live()
		live.Spec.Image = image
		if err := b.User.Update(t.Context(), live); err != nil {
			t.Fatal(err)
		}
		b.caughtUp()
		s.calls = nil
	}
	called := func(reason string, held bool, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, s.calls); diff != "" {
			t.Errorf("%s: called (-want +got):\n%s", reason, diff)
		}
		if got := slices.Contains(b.live().Finalizers, "example.com/dns"); got != held {
			t.Errorf("%s: the finalizer is there: %v", reason, got)
		}
	}
	set("off")
	b.want("not wanted")
	called("not wanted", false, "undo dns")
	set("on")
	b.want("wanted")
	called("wanted", true, "dns")
	set("off")
	if _, err := b.pass(); err != nil {
		t.Error(err)
	}
	called("not undone yet", true, "undo dns")
	undone = reconcile.Continue
	b.want("undone")
	called("undone", false, "undo dns", "undo dns")
	b.quiet()
}
