package measure

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var sink []byte // what a pass allocates escapes to here

// TestNoops measures passes of which it is known what they do.
func TestNoops(t *testing.T) {
	var order []string
	seen := map[types.NamespacedName]bool{}
	requests := 0
	keys := []types.NamespacedName{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	subject := func(name string, pass ctrlreconcile.Func, requests func() int) Subject {
		return Subject{Keys: keys, Requests: requests, Reconciler: ctrlreconcile.Func(
			func(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
				if len(order) == 0 || order[len(order)-1] != name {
					order = append(order, name)
				}
				return pass(ctx, req)
			})}
	}
	noops, failures := Noops(t.Context(), []Subject{
		subject("quiet", func(_ context.Context, req ctrl.Request) (ctrl.Result, error) {
			seen[req.NamespacedName] = true
			return ctrl.Result{}, nil
		}, func() int { return 0 }),
		subject("busy", func(context.Context, ctrl.Request) (ctrl.Result, error) {
			sink = make([]byte, 4096)
			requests += 2
			return ctrl.Result{}, nil
		}, func() int { return requests }),
	})
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
	quiet, busy := noops[0], noops[1]
	if quiet.Requests != 0 || busy.Requests != 2 {
		t.Errorf("requests: got %v and %v, want 0 and 2", quiet.Requests, busy.Requests)
	}
	if got := busy.Allocs - quiet.Allocs; got < 0.9 || got > 1.1 {
		t.Errorf("a pass with one allocation more allocates %.2f times more", got)
	}
	if got := busy.Bytes - quiet.Bytes; got < 4000 || got > 4400 {
		t.Errorf("a pass that allocates 4096 bytes more allocates %.0f more", got)
	}
	if quiet.Nanoseconds <= 0 {
		t.Error("a pass takes no time")
	}
	if len(seen) != len(keys) {
		t.Errorf("passes went over %d of %d objects", len(seen), len(keys))
	}
	if len(order) < noopRounds || slices.Contains(order, "") {
		t.Errorf("batches did not take turns: %v", order)
	}
}

// TestNoopsThatAreNone has a subject that fails beside one that does not.
func TestNoopsThatAreNone(t *testing.T) {
	for name, tt := range map[string]struct {
		reason string
		result ctrl.Result
		err    error
		want   string
	}{
		"Error":   {"an object that fails is not converged", ctrl.Result{}, errors.New("boom"), "MyApp ns/a: boom"},
		"Requeue": {"one that wants to run again is not either", ctrl.Result{RequeueAfter: time.Second}, nil, "MyApp ns/a: asks to run again"},
	} {
		t.Run(name, func(t *testing.T) {
			subject := func(result ctrl.Result, err error) Subject {
				return Subject{
					Keys: []types.NamespacedName{{Namespace: "ns", Name: "a"}}, Requests: func() int { return 0 },
					Reconciler: ctrlreconcile.Func(func(context.Context, ctrl.Request) (ctrl.Result, error) { return result, err }),
				}
			}
			noops, failures := Noops(t.Context(), []Subject{subject(tt.result, tt.err), subject(ctrl.Result{}, nil)})
			if err := failures[0]; err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got %v, want %q", tt.reason, err, tt.want)
			}
			if failures[1] != nil || noops[1].Nanoseconds <= 0 {
				t.Errorf("the other one was not measured: %v, %+v", failures[1], noops[1])
			}
		})
	}
}
