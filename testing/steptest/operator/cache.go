package operator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// A Source tells a cache of objects. [memory.Server] implements it.
type Source interface {
	// Revision returns the number of the latest change.
	Revision() uint64
	// Since returns the changes after a revision, in order; 0 is from the beginning.
	Since(revision uint64) []memory.Event
}

// A Cache is the cache of an operator, one of controller-runtime to those who read
// it. It shows changes when it is told to, by kind, and tells the handlers of the
// operator's watches of them then. It never waits for what the operator itself wrote.
// Safe for concurrent use.
type Cache struct {
	scheme *runtime.Scheme
	source Source

	mu      sync.Mutex
	begin   uint64
	views   map[schema.GroupVersionKind]*view
	indexes map[indexKey]client.IndexerFunc
}

var _ cache.Cache = &Cache{}

type indexKey struct {
	gvk   schema.GroupVersionKind
	field string
}

// view is what a cache shows of a kind.
type view struct {
	gvk      schema.GroupVersionKind
	revision uint64 // of the last change that is shown
	held     int    // how many changes it stays behind, -1 for all that come
	objects  map[client.ObjectKey]*unstructured.Unstructured
	typed    map[client.ObjectKey]client.Object // of the same, made when asked for
	handlers []listener
}

type listener struct {
	toolscache.ResourceEventHandler
	typed bool
}

func newCache(options Options) *Cache {
	begin := options.Source.Revision()
	if options.From != nil {
		begin = *options.From
	}
	return &Cache{
		scheme: options.Kinds.Scheme(), source: options.Source, begin: begin,
		views: map[schema.GroupVersionKind]*view{}, indexes: map[indexKey]client.IndexerFunc{},
	}
}

// view returns the view of a kind, which begins as of the revision that the cache
// began with. The caller holds the lock.
func (c *Cache) view(gvk schema.GroupVersionKind) *view {
	if found, ok := c.views[gvk]; ok {
		return found
	}
	made := &view{gvk: gvk, revision: c.begin, objects: map[client.ObjectKey]*unstructured.Unstructured{}, typed: map[client.ObjectKey]client.Object{}}
	for _, event := range c.source.Since(0) {
		if event.Revision <= c.begin && event.Object.GroupVersionKind() == gvk {
			made.show(event)
		}
	}
	c.views[gvk] = made
	return made
}

// show makes a change visible.
func (v *view) show(event memory.Event) {
	key := client.ObjectKeyFromObject(event.Object)
	delete(v.typed, key)
	if event.Type == watch.Deleted {
		delete(v.objects, key)
		return
	}
	v.objects[key] = event.Object
}

// object returns what is shown under a key, nil if there is nothing.
func (v *view) object(scheme *runtime.Scheme, key client.ObjectKey, typed bool) (client.Object, error) {
	content, ok := v.objects[key]
	if !ok {
		return nil, nil
	}
	if !typed {
		return content, nil
	}
	if made, ok := v.typed[key]; ok {
		return made, nil
	}
	made, err := v.convert(scheme, content)
	if err == nil {
		v.typed[key] = made
	}
	return made, err
}

func (v *view) convert(scheme *runtime.Scheme, content *unstructured.Unstructured) (client.Object, error) {
	empty, err := scheme.New(v.gvk)
	if err != nil {
		return nil, err
	}
	made, ok := empty.(client.Object)
	if !ok {
		return nil, fmt.Errorf("%T is no object", empty)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content.Object, made); err != nil {
		return nil, err
	}
	made.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // as decoded ones are
	return made, nil
}

// keys returns the names of what is shown, in order.
func (v *view) keys(namespace string) []client.ObjectKey {
	var keys []client.ObjectKey
	for key := range v.objects {
		if namespace == "" || key.Namespace == namespace {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b client.ObjectKey) int { return strings.Compare(a.String(), b.String()) })
	return keys
}

// Kinds returns the kinds that the cache shows, in order.
func (c *Cache) Kinds() []schema.GroupVersionKind {
	c.mu.Lock()
	defer c.mu.Unlock()
	kinds := make([]schema.GroupVersionKind, 0, len(c.views))
	for gvk := range c.views {
		kinds = append(kinds, gvk)
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	return kinds
}

// IndexField implements [client.FieldIndexer].
func (c *Cache) IndexField(_ context.Context, object client.Object, field string, values client.IndexerFunc) error {
	gvk, err := apiutil.GVKForObject(object, c.scheme)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.indexes[indexKey{gvk, field}] = values
	return nil
}
