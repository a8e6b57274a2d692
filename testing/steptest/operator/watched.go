package operator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// A Watched is a namespace of a real cluster, as a [Source] and a [memory.Cluster]. Its
// revisions count the changes that it has heard of. Make one with [WatchNamespace]. Safe
// for concurrent use.
type Watched struct {
	ctx       context.Context
	stop      context.CancelFunc
	config    *rest.Config
	namespace string
	kinds     []schema.GroupVersionKind
	client    client.WithWatch
	watches   sync.WaitGroup

	mu      sync.Mutex
	history []memory.Event
	objects map[types.UID]*unstructured.Unstructured
	news    chan struct{} // closed at the next change
}

var (
	_ Source         = &Watched{}
	_ memory.Cluster = &Watched{}
)

// WatchNamespace watches kinds in a namespace until the context is done, or
// [Watched.Stop]. What every namespace has is left out.
func WatchNamespace(
	ctx context.Context, config *rest.Config, scheme *runtime.Scheme, namespace string, kinds []schema.GroupVersionKind,
) (*Watched, error) {
	ctx, stop := context.WithCancel(ctx)
	w := &Watched{
		ctx: ctx, stop: stop, config: config, namespace: namespace, kinds: kinds,
		objects: map[types.UID]*unstructured.Unstructured{}, news: make(chan struct{}),
	}
	var err error
	if w.client, err = client.NewWithWatch(config, client.Options{Scheme: scheme}); err != nil {
		stop()
		return nil, err
	}
	for _, gvk := range kinds {
		events, err := w.client.Watch(ctx, listOf(gvk), client.InNamespace(namespace))
		if err != nil {
			w.Stop()
			return nil, fmt.Errorf("watch %s: %w", gvk.Kind, err)
		}
		w.watches.Go(func() {
			for event := range events.ResultChan() {
				w.hear(event)
			}
		})
	}
	return w, nil
}

func listOf(gvk schema.GroupVersionKind) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	return list
}

// hear keeps a change.
func (w *Watched) hear(event watch.Event) {
	object, ok := event.Object.(*unstructured.Unstructured)
	if !ok || ofNamespace(object) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	change := memory.Event{Revision: uint64(len(w.history)) + 1, Type: event.Type, Object: object, Before: w.objects[object.GetUID()]}
	w.objects[object.GetUID()] = object
	if event.Type == watch.Deleted {
		delete(w.objects, object.GetUID())
	}
	w.history = append(w.history, change)
	close(w.news)
	w.news = make(chan struct{})
}

// ofNamespace reports whether an object is one that each namespace has.
func ofNamespace(object *unstructured.Unstructured) bool {
	return object.GetKind() == "ConfigMap" && object.GetName() == "kube-root-ca.crt" ||
		object.GetKind() == "ServiceAccount" && object.GetName() == "default"
}

// Config returns the configuration of the cluster.
func (w *Watched) Config() *rest.Config { return rest.CopyConfig(w.config) }

// Revision implements [Source].
func (w *Watched) Revision() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return uint64(len(w.history))
}

// Since implements [Source].
func (w *Watched) Since(revision uint64) []memory.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.history[min(revision, uint64(len(w.history))):])
}

// All implements [memory.Cluster] with live reads. Without an answer there is nothing.
func (w *Watched) All() []*unstructured.Unstructured {
	all, err := w.list()
	if err != nil {
		return nil
	}
	return all
}

func (w *Watched) list() ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	for _, gvk := range w.kinds {
		list := listOf(gvk)
		if err := w.client.List(w.ctx, list, client.InNamespace(w.namespace)); err != nil {
			return nil, fmt.Errorf("list %s: %w", gvk.Kind, err)
		}
		for i := range list.Items {
			if object := &list.Items[i]; !ofNamespace(object) {
				all = append(all, object)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *unstructured.Unstructured) int {
		return strings.Compare(a.GetKind()+" "+a.GetName(), b.GetKind()+" "+b.GetName())
	})
	return all, nil
}

// As implements [memory.Cluster].
func (w *Watched) As(name string) client.Client { return client.WithFieldOwner(w.client, name) }

// Pause waits for news, or until the time is over.
func (w *Watched) Pause(wait time.Duration) {
	w.mu.Lock()
	news := w.news
	w.mu.Unlock()
	w.await(news, wait)
}

func (w *Watched) await(news <-chan struct{}, wait time.Duration) {
	select {
	case <-news:
	case <-time.After(wait):
	case <-w.ctx.Done():
	}
}

// CaughtUp waits until what was heard is what there is.
func (w *Watched) CaughtUp(ctx context.Context) error {
	for {
		all, err := w.list()
		if err != nil {
			return err
		}
		w.mu.Lock()
		behind := len(all) != len(w.objects)
		for _, object := range all {
			heard, ok := w.objects[object.GetUID()]
			behind = behind || !ok || heard.GetResourceVersion() != object.GetResourceVersion()
		}
		news := w.news
		w.mu.Unlock()
		if !behind {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("wait for news of what was done: %w", err)
		}
		w.await(news, time.Second)
	}
}

// Stop ends the watches.
func (w *Watched) Stop() {
	w.stop()
	w.watches.Wait()
}
