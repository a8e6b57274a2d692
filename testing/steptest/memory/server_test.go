package memory_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// A cache of controller-runtime works with it: it lists, watches and hears of changes.
func TestInformers(t *testing.T) {
	b := newBench(t)
	first := owned("first", nil)
	b.must(b.user.Create(t.Context(), first))
	informers, err := cache.New(b.Config(), cache.Options{Scheme: b.Kinds().Scheme(), Mapper: b.Kinds().Mapper()})
	b.must(err)
	informer, err := informers.GetInformer(t.Context(), &corev1.ConfigMap{}, cache.BlockUntilSynced(false))
	b.must(err)
	heard := make(chan string, 10)
	_, err = informer.AddEventHandler(handler(heard))
	b.must(err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- informers.Start(ctx) }()
	if !informers.WaitForCacheSync(ctx) {
		t.Fatal("the cache did not start")
	}
	got := []string{<-heard}
	second := owned("second", nil)
	b.must(b.user.Create(t.Context(), second))
	got = append(got, <-heard)
	b.must(b.user.Patch(t.Context(), second, client.RawPatch(types.MergePatchType, []byte(`{"data":{"a":"b"}}`))))
	got = append(got, <-heard)
	b.must(b.user.Delete(t.Context(), first))
	got = append(got, <-heard)
	cancel()
	b.must(<-ended)
	want := []string{"add first", "add second", "update second", "delete first"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("heard (-want +got):\n%s", diff)
	}
}

type handler chan string

func (h handler) OnAdd(object any, _ bool) { h <- "add " + object.(client.Object).GetName() }
func (h handler) OnUpdate(_, object any)   { h <- "update " + object.(client.Object).GetName() }
func (h handler) OnDelete(object any)      { h <- "delete " + object.(client.Object).GetName() }

// The history tells every change, and nothing that changed nothing.
func TestSince(t *testing.T) {
	b := newBench(t)
	object := owned("web", nil)
	start := b.Revision()
	b.must(b.user.Create(t.Context(), object))
	b.must(b.user.Patch(t.Context(), object, client.RawPatch(types.MergePatchType, []byte(`{"data":{"a":"b"}}`))))
	b.must(b.user.Patch(t.Context(), object, client.RawPatch(types.MergePatchType, []byte(`{"data":{"a":"b"}}`))))
	b.must(b.user.Delete(t.Context(), object))
	var got []string
	for _, event := range b.Since(start) {
		got = append(got, fmt.Sprintf("%d %s %s", event.Revision-start, event.Type, event.Object.GetResourceVersion()))
	}
	want := []string{"1 ADDED 101", "2 MODIFIED 102", "3 DELETED 103"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// Nothing can be made in a namespace that is being deleted.
func TestTerminatingNamespace(t *testing.T) {
	b := newBench(t)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "demo", Finalizers: []string{"example.com/hold"}}}
	b.must(b.user.Create(t.Context(), namespace), b.user.Create(t.Context(), owned("before", nil)), b.user.Delete(t.Context(), namespace))
	err := b.user.Create(t.Context(), owned("after", nil))
	if !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		t.Errorf("created: %v", err)
	}
}

func TestKindsThatAreNotServed(t *testing.T) {
	if _, err := memory.NewKinds(nil); err == nil {
		t.Error("no scheme is needed")
	}
	served, err := memory.NewKinds(kinds(t).Scheme()) // without the definition of MyApps
	if err != nil {
		t.Fatal(err)
	}
	server := served.NewServer()
	if err := server.Client(server.Config()).Create(t.Context(), &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo"}}); err == nil {
		t.Error("a kind that is not installed was created")
	}
}

// A whole life of an object, in requests.
func BenchmarkRequests(b *testing.B) {
	served := kinds(b)
	for b.Loop() {
		server := served.NewServer()
		user := server.Client(server.Config())
		app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo"}, Spec: v1.MyAppSpec{Image: "img:1"}}
		for _, err := range []error{
			user.Create(b.Context(), app),
			user.Patch(b.Context(), app, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"image":"img:2"}}`))),
			user.Status().Patch(b.Context(), app, client.RawPatch(types.MergePatchType, []byte(`{"status":{"replicas":2}}`))),
			user.Get(b.Context(), client.ObjectKeyFromObject(app), app),
			user.Delete(b.Context(), app),
		} {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
