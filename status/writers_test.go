package status_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// 10,000 take 59 seconds of CPU, most of them the API server's; they are made with
// go test ./status -run TestNoConditionOfAnotherWriterIsLost -args -writes=10000.
var othersWrites = flag.Int("writes", 2000, "how many writes others make beside a pipeline")

// Other writers' conditions are never lost: 8 of them make thousands of writes, each
// to any of a few objects, while a pipeline flips its own conditions in the same
// objects as fast as it can. Each writer makes sure before each write that what it
// last said is still there.
func TestNoConditionOfAnotherWriterIsLost(t *testing.T) {
	const writers, objects = 8, 16
	each := *othersWrites / writers
	shared := cluster.Shared(t)
	namespace := shared.Namespace(t)
	live := steptest.StartLive[*policyv1.PodDisruptionBudget](t, shared.Config(), scheme(t), []string{namespace}, "test")
	pipeline := flipping(t, live, objects)
	apps := make([]*policyv1.PodDisruptionBudget, objects)
	for i := range apps {
		apps[i] = &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%d", i), Namespace: namespace},
		}
		if err := live.User.Create(t.Context(), apps[i]); err != nil {
			t.Fatal(err)
		}
		live.CaughtUp(t, apps[i])
	}
	begin := time.Now()
	var all []*writer
	var group sync.WaitGroup
	for n := range writers {
		w := newWriter(t, shared.Config(), n)
		all = append(all, w)
		group.Go(func() {
			for i := 1; i <= each; i++ {
				if err := w.say(t.Context(), apps[(i+objects/writers*n)%objects], i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { group.Wait(); close(done) }()
	passes, failed := 0, 0
	for running := true; running; passes++ {
		select {
		case <-done:
			running = false
		default:
		}
		if _, err := pipeline.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(apps[passes%objects])}); err != nil {
			t.Log(err)
			failed++
		}
	}
	conflicts := live.Requests.All(func(r steptest.Request) bool { return r.Code == http.StatusConflict })
	t.Logf("%d writes by others and %d passes took %s; %d conflicts", writers*each, passes, time.Since(begin), len(conflicts))
	if len(conflicts) == 0 {
		t.Error("nobody came in between: nothing was tried")
	}
	if failed > 0 {
		t.Errorf("%d passes failed for a conflict", failed)
	}
	for _, app := range apps {
		if err := live.User.Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
			t.Fatal(err)
		}
		for _, w := range all {
			if err := w.check(app); err != nil {
				t.Error(err)
			}
		}
		for _, own := range []string{"Ready", "WorkReady"} {
			if meta.FindStatusCondition(app.Status.Conditions, own) == nil {
				t.Errorf("%s has lost %s", app.Name, own)
			}
		}
	}
}

// flipping returns a pipeline whose conditions are others in each pass.
func flipping(t *testing.T, live *steptest.Live, objects int) *reconcile.Pipeline[*policyv1.PodDisruptionBudget] {
	t.Helper()
	passes := 0
	pipeline := reconcile.NewPipeline("test",
		reconcile.Func("work", func(context.Context, *reconcile.Run[*policyv1.PodDisruptionBudget]) (reconcile.Result, error) {
			if passes++; passes/objects%2 == 0 {
				return reconcile.Wait("Working", "works"), nil
			}
			return reconcile.Continue, nil
		}),
		status.Summarize(func(object *policyv1.PodDisruptionBudget) *[]metav1.Condition { return &object.Status.Conditions }),
	)
	if err := pipeline.Setup(live.Environment); err != nil {
		t.Fatal(err)
	}
	return pipeline
}
