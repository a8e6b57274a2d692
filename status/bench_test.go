package status_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// bench has one object on the API server, and makes passes over it by hand.
type bench[T client.Object] struct {
	*testing.T
	*steptest.Live
	object T
	clock  *clocktesting.FakePassiveClock
}

// newBench creates the object, under a name and a namespace of its own.
func newBench[T client.Object](t *testing.T, object T) *bench[T] {
	t.Helper()
	return newBenchOf(t, scheme(t), object)
}

// newBenchOf does so with a scheme that knows the object.
func newBenchOf[T client.Object](t *testing.T, scheme *runtime.Scheme, object T) *bench[T] {
	t.Helper()
	shared := cluster.Shared(t)
	b := &bench[T]{
		T: t, object: object,
		clock: clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
	}
	object.SetName("web")
	object.SetNamespace(shared.Namespace(t))
	b.Live = steptest.StartLive[T](t, shared.Config(), scheme, []string{object.GetNamespace()}, "test")
	b.Environment.Clock = b.clock
	if err := b.User.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	return b
}

// setUp sets a pipeline up, whose memory is its own.
func (b *bench[T]) setUp(pipeline *reconcile.Pipeline[T]) *reconcile.Pipeline[T] {
	b.Helper()
	env := b.Environment
	env.Memory, env.FieldManager = nil, ""
	if err := pipeline.For(b.object.DeepCopyObject().(T)).Setup(env); err != nil {
		b.Fatal(err)
	}
	return pipeline
}

// pass waits for the cache, lets an hour go by and makes a pass. It returns what
// came of it and what was sent.
func (b *bench[T]) pass(pipeline *reconcile.Pipeline[T]) (ctrl.Result, []steptest.Request, error) {
	b.Helper()
	b.CaughtUp(b.T, b.object)
	b.clock.SetTime(b.clock.Now().Add(time.Hour))
	b.Requests.Reset()
	result, err := pipeline.Reconcile(b.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(b.object)})
	return result, b.Requests.All(), err
}

// quiet makes a pass that must send nothing.
func (b *bench[T]) quiet(what string, pipeline *reconcile.Pipeline[T]) {
	b.Helper()
	if _, sent, _ := b.pass(pipeline); len(sent) > 0 {
		b.Errorf("%s: another pass sent %v", what, sent)
	}
}

// live returns the object as it is on the server.
func (b *bench[T]) live() *unstructured.Unstructured {
	b.Helper()
	gvk, err := apiutil.GVKForObject(b.object, b.User.Scheme())
	if err != nil {
		b.Fatal(err)
	}
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(gvk)
	if err := b.User.Get(b.Context(), client.ObjectKeyFromObject(b.object), live); err != nil {
		b.Fatal(err)
	}
	return live
}

// conditions returns the conditions that the object has on the server.
func (b *bench[T]) conditions() []metav1.Condition {
	b.Helper()
	items, _, _ := unstructured.NestedSlice(b.live().Object, "status", "conditions")
	list := make([]metav1.Condition, len(items))
	for i := range items {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(items[i].(map[string]any), &list[i]); err != nil {
			b.Fatal(err)
		}
	}
	return list
}

// told returns each condition in a line, "Ready=True g1 Ready: every step is
// ready", in the order of the list.
func (b *bench[T]) told() []string {
	b.Helper()
	conditions := b.conditions()
	lines := make([]string, len(conditions))
	for i, c := range conditions {
		lines[i] = strings.TrimSuffix(fmt.Sprintf("%s=%s g%d %s: %s", c.Type, c.Status, c.ObservedGeneration, c.Reason, c.Message), ": ")
	}
	return lines
}

// sets is what another writer does: it sets fields of the status, under no lock.
func (b *bench[T]) sets(change func(status map[string]any)) {
	b.Helper()
	live := b.live()
	status, _ := live.Object["status"].(map[string]any)
	if status == nil {
		status = map[string]any{}
		live.Object["status"] = status
	}
	change(status)
	err := b.User.Status().Update(b.Context(), live)
	if client.IgnoreNotFound(err) == nil && err != nil { // there is no subresource
		err = b.User.Update(b.Context(), live)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// respec makes a new generation.
func (b *bench[T]) respec(field string, value any) {
	b.Helper()
	live := b.live()
	if err := unstructured.SetNestedField(live.Object, value, "spec", field); err != nil {
		b.Fatal(err)
	}
	if err := b.User.Update(b.Context(), live); err != nil {
		b.Fatal(err)
	}
}
