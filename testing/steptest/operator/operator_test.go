package operator_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
	"github.com/trueup-dev/trueup/testing/steptest/operator"
)

var configMaps = corev1.SchemeGroupVersion.WithKind("ConfigMap")

// bench is an operator that notes what its cache shows of the ConfigMap in each pass.
type bench struct {
	*testing.T
	*operator.Operator
	user   client.Client
	object *corev1.ConfigMap
	seen   []string
	answer func() (ctrl.Result, error)
}

func newBench(t *testing.T) *bench {
	t.Helper()
	kinds, err := memory.NewKinds(clientgoscheme.Scheme)
	if err != nil {
		t.Fatal(err)
	}
	server := kinds.NewServer()
	b := &bench{
		T: t, user: server.As("user"), answer: func() (ctrl.Result, error) { return ctrl.Result{}, nil },
		object: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo"}, Data: map[string]string{"is": "new"}},
	}
	b.must(b.user.Create(t.Context(), b.object))
	b.Operator, err = operator.Start(t.Context(), operator.Options{Setup: b.setup, Source: server, Config: server.Config(), Kinds: kinds})
	b.must(err)
	t.Cleanup(b.Stop)
	return b
}

func (b *bench) setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.ConfigMap{}).Complete(ctrlreconcile.Func(
		func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
			object := &corev1.ConfigMap{}
			seen := "nothing"
			if mgr.GetClient().Get(ctx, request.NamespacedName, object) == nil {
				seen = object.Data["is"]
			}
			b.seen = append(b.seen, seen)
			return b.answer()
		}))
}

func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) change(is string) {
	b.Helper()
	b.must(b.user.Patch(b.Context(), b.object, client.RawPatch(types.MergePatchType, []byte(`{"data":{"is":"`+is+`"}}`))))
}

// passes makes all passes that are due, and checks what was seen.
func (b *bench) passes(reason string, want ...string) {
	b.Helper()
	b.seen = nil
	for {
		if _, ok := b.Pass(); !ok {
			break
		}
	}
	if diff := cmp.Diff(want, b.seen); diff != "" {
		b.Errorf("%s: passes saw (-want +got):\n%s", reason, diff)
	}
}

func TestTheCacheShowsWhatItIsTold(t *testing.T) {
	b := newBench(t)
	b.passes("at the start", "new")
	b.change("changed")
	b.passes("before the cache has heard")
	b.Cache().Sync()
	b.passes("after", "changed")

	b.Cache().Hold(configMaps, 1)
	b.change("second")
	b.change("third")
	b.Cache().Sync()
	b.passes("one change late", "second")
	if !b.Cache().Release() {
		t.Error("nothing was held back")
	}
	b.passes("released", "third")
}

// An object that is deleted and made again while the cache is away has changed.
func TestRelist(t *testing.T) {
	b := newBench(t)
	b.passes("at the start", "new")
	b.Cache().Hold(configMaps, -1)
	b.must(b.user.Delete(t.Context(), b.object))
	again := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo"}, Data: map[string]string{"is": "another"}}
	b.must(b.user.Create(t.Context(), again))
	if b.Cache().Sync() {
		t.Error("the cache heard of something")
	}
	b.Cache().Relist(configMaps)
	b.passes("listed again", "another")
	b.must(b.user.Delete(t.Context(), again))
	b.Cache().Relist(configMaps)
	b.passes("gone", "nothing")
}

func TestRetriesAndRequeues(t *testing.T) {
	b := newBench(t)
	b.answer = func() (ctrl.Result, error) { return ctrl.Result{}, errors.New("broken") }
	b.Pass()
	if wait, ok := b.Later(); !ok || wait > time.Second || !b.Retrying() {
		t.Errorf("after an error: later in %s (%t), retrying %t", wait, ok, b.Retrying())
	}
	b.answer = func() (ctrl.Result, error) { return ctrl.Result{RequeueAfter: time.Hour}, nil }
	b.Hurry()
	b.Pass()
	if wait, ok := b.Later(); !ok || wait < 59*time.Minute || b.Retrying() {
		t.Errorf("after a requeue: later in %s (%t), retrying %t", wait, ok, b.Retrying())
	}
}

func TestOptionsAreRequired(t *testing.T) {
	if _, err := operator.Start(t.Context(), operator.Options{}); err == nil {
		t.Error("an operator of nothing was started")
	}
}
