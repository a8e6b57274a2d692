package reconcile_test

import (
	"fmt"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/trueup-dev/trueup/reconcile"
)

// Sixteen workers share one pipeline of all combinators, each on an object of its
// own: what is not made for that, the race detector sees.
func TestSixteenWorkersShareAllCombinators(t *testing.T) {
	const workers = 16
	server := fake.NewClientBuilder()
	for i := range workers {
		server.WithObjects(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: fmt.Sprint("web-", i), UID: types.UID(fmt.Sprint(i))}})
	}
	env := reconcile.Environment{Client: server.Build(), Memory: reconcile.NewMemory()}
	seen, count := &sightings{}, 0
	leaf := func() step {
		count++
		return seen.leaf(fmt.Sprintf("step-%d", count), returned{})
	}
	isEven := func(o object) bool { return len(o.Name)%2 == 0 }
	steps := []step{
		reconcile.Sequence(leaf(), reconcile.All(leaf(), leaf())),
		reconcile.Parallel(leaf(), leaf(), leaf()),
		reconcile.Graph(reconcile.At("a", leaf()), reconcile.At("b", leaf()).After("a"), reconcile.At("c", leaf()).AfterTrying("a")),
		reconcile.When(isEven, leaf(), leaf()),
		reconcile.Switch(func(o object) string { return o.Name }, reconcile.Case("web-1", leaf()), reconcile.Otherwise(leaf())),
		reconcile.ForEach("items", func(o object) []string { return []string{"a", o.Name} }, leaf()),
		reconcile.In(reconcile.Elsewhere("other", &otherCluster{client: env.Client}), leaf()),
	}
	for _, wrap := range allWrappers() {
		steps = append(steps, wrap(leaf()))
	}
	pipeline := reconcile.NewPipeline("test", steps...)
	if err := pipeline.Setup(env); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range workers {
		wait.Go(func() {
			for range 5 {
				request := ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "demo", Name: fmt.Sprint("web-", i)}}
				if result, err := pipeline.Reconcile(t.Context(), request); err != nil || !result.IsZero() {
					t.Errorf("object %d: %v, %v", i, result, err)
				}
			}
		})
	}
	wait.Wait()
}
