package stage

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// passing returns an activity whose passes take a while.
func passing(takes time.Duration, err error) *activity {
	return &activity{next: ctrlreconcile.Func(func(context.Context, ctrl.Request) (ctrl.Result, error) {
		<-time.After(takes)
		return ctrl.Result{}, err
	})}
}

// TestAwaitQuiet lets the clock of a bubble say when an operator counts as quiet.
func TestAwaitQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := passing(300*time.Millisecond, nil)
		begin := time.Now()
		go func() {
			_, _ = a.Reconcile(t.Context(), ctrl.Request{})
			<-time.After(calm / 2) // not long enough
			_, _ = a.Reconcile(t.Context(), ctrl.Request{})
		}()
		if err := a.awaitQuiet(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		busy := 2*300*time.Millisecond + calm/2
		if took := time.Since(begin); took < busy+calm || took > busy+calm+calm/10 {
			t.Errorf("quiet after %s, want %s after %s of work", took, calm, busy)
		}
	})
}

// TestAwaitQuietPasses holds it to wait for passes that are still to come.
func TestAwaitQuietPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := passing(0, errors.New("boom"))
		_, _ = a.Reconcile(t.Context(), ctrl.Request{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := a.awaitQuiet(ctx, 2)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, want to have waited in vain", err)
		}
		if !strings.Contains(err.Error(), "the last pass that failed: boom") {
			t.Errorf("%q does not say what failed", err)
		}
	})
}
