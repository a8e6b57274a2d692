package finalizer_test

import (
	"context"
	"testing"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
)

// The server answers the write that takes the last finalizer off with the version
// that it has deleted, so that a cache that is behind shows that very version, with
// the finalizer on: what was released is not released again.
func TestAnObjectThatIsOnlyInTheCacheIsNotReleasedAgain(t *testing.T) {
	released := 0
	w := newWorld(t, oneStep(func() reconcile.Step[*v1.MyApp] {
		return finalizer.Func("apps.example.com/dns", func(context.Context, run) (reconcile.Result, error) {
			released++
			return reconcile.Continue, nil
		})
	}))
	w.must("created")
	w.must("status")
	w.delete()
	w.must("deleted")
	if w.live() || released != 1 {
		t.Fatalf("the app is still there, or was released %d times", released)
	}
	w.behind = true
	w.must("the cache still shows it")
	if released != 1 {
		t.Errorf("released %d times, want once", released)
	}
}
