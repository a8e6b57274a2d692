package resources_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// What is peeked at is what is observed, not copied, and a step that changes it is
// named in tests.
func TestPeekIsTheCachesOwn(t *testing.T) {
	child := resources.Ensure(desiredConfigMap)
	var peeked, observed *corev1.ConfigMap
	change := func(*corev1.ConfigMap) {}
	b := newBench(t, reconcile.Sequence[*v1.MyApp](child,
		reconcile.Func("reader", func(_ context.Context, run *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
			peeked, _ = child.Peek(run)
			observed, _ = child.Observed(run)
			if allocations := testing.AllocsPerRun(100, func() { child.Peek(run) }); allocations > 0 {
				t.Errorf("to peek takes %v allocations", allocations)
			}
			change(peeked)
			return reconcile.Continue, nil
		})))
	var told []string
	b.Environment.Altered = func(step string, _, _ client.Object) { told = append(told, step) }
	b.want("first pass", reconcile.Continue)
	if peeked == nil || peeked.UID == "" {
		t.Fatalf("peeked at %v, want the child that was made", peeked)
	}
	b.caughtUp(b.configMap())
	b.want("from the cache", reconcile.Continue)
	want := observed.DeepCopy()
	want.ManagedFields = peeked.ManagedFields
	if diff := cmp.Diff(want, peeked); diff != "" {
		t.Errorf("what is observed and what is peeked at (-observed +peeked):\n%s", diff)
	}
	if len(told) > 0 {
		t.Errorf("%v are said to have changed something", told)
	}
	change = func(child *corev1.ConfigMap) { child.Data["image"] = "scribbled" }
	b.want("changing it", reconcile.Continue)
	if !slices.Equal(told, []string{"reader"}) {
		t.Errorf("%v are said to have changed something, want the reader", told)
	}
}
