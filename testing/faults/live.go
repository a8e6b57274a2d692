package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// live is a namespace of a real cluster, as a [world]. Its revisions count the changes
// that it has heard of.
type live struct {
	ctx       context.Context
	config    *rest.Config
	kinds     *memory.Kinds
	namespace string
	watched   []schema.GroupVersionKind
	client    client.WithWatch
	watches   sync.WaitGroup

	mu      sync.Mutex
	history []memory.Event
	objects map[types.UID]*unstructured.Unstructured
	heard   uint64        // the revision as of the last look for news
	news    chan struct{} // closed at the next change
}

var _ world = &live{}

// watchLive watches kinds in a namespace until the context is done.
func watchLive(ctx context.Context, config *rest.Config, kinds *memory.Kinds, namespace string, watched []schema.GroupVersionKind) (*live, error) {
	l := &live{
		ctx: ctx, config: config, kinds: kinds, namespace: namespace, watched: watched,
		objects: map[types.UID]*unstructured.Unstructured{}, news: make(chan struct{}),
	}
	var err error
	if l.client, err = client.NewWithWatch(config, client.Options{Scheme: kinds.Scheme()}); err != nil {
		return l, err
	}
	for _, gvk := range watched {
		events, err := l.client.Watch(ctx, listOf(gvk), client.InNamespace(namespace))
		if err != nil {
			return l, fmt.Errorf("watch %s: %w", gvk.Kind, err)
		}
		l.watches.Go(func() {
			for event := range events.ResultChan() {
				l.hear(event)
			}
		})
	}
	return l, nil
}

func listOf(gvk schema.GroupVersionKind) *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	return list
}

// hear keeps a change.
func (l *live) hear(event watch.Event) {
	object, ok := event.Object.(*unstructured.Unstructured)
	if !ok || ofNamespace(object) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	change := memory.Event{Revision: uint64(len(l.history)) + 1, Type: event.Type, Object: object, Before: l.objects[object.GetUID()]}
	l.objects[object.GetUID()] = object
	if event.Type == watch.Deleted {
		delete(l.objects, object.GetUID())
	}
	l.history = append(l.history, change)
	close(l.news)
	l.news = make(chan struct{})
}

// ofNamespace reports whether an object is one that each namespace has.
func ofNamespace(object *unstructured.Unstructured) bool {
	return object.GetKind() == "ConfigMap" && object.GetName() == "kube-root-ca.crt" ||
		object.GetKind() == "ServiceAccount" && object.GetName() == "default"
}

func (l *live) Config() *rest.Config { return rest.CopyConfig(l.config) }

func (l *live) Revision() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return uint64(len(l.history))
}

func (l *live) Since(revision uint64) []memory.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.history[min(revision, uint64(len(l.history))):])
}

// All implements [memory.Cluster] with live reads. Without an answer there is nothing.
func (l *live) All() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, gvk := range l.watched {
		list := listOf(gvk)
		if err := l.client.List(l.ctx, list, client.InNamespace(l.namespace)); err != nil {
			return nil
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
	return all
}

func (l *live) As(name string) client.Client { return client.WithFieldOwner(l.client, name) }

// pause waits for news, or until the time is over.
func (l *live) pause(wait time.Duration) {
	l.mu.Lock()
	news := l.news
	l.mu.Unlock()
	select {
	case <-news:
	case <-time.After(wait):
	case <-l.ctx.Done():
	}
}
