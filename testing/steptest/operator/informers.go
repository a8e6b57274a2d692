package operator

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// GetInformer implements [cache.Informers].
func (c *Cache) GetInformer(_ context.Context, object client.Object, _ ...cache.InformerGetOption) (cache.Informer, error) {
	gvk, err := apiutil.GVKForObject(object, c.scheme)
	if err != nil {
		return nil, err
	}
	return &informer{cache: c, gvk: gvk, typed: isTyped(object)}, nil
}

// GetInformerForKind implements [cache.Informers].
func (c *Cache) GetInformerForKind(_ context.Context, gvk schema.GroupVersionKind, _ ...cache.InformerGetOption) (cache.Informer, error) {
	return &informer{cache: c, gvk: gvk, typed: c.scheme.Recognizes(gvk)}, nil
}

// RemoveInformer implements [cache.Informers]. It cannot be done here.
func (c *Cache) RemoveInformer(context.Context, client.Object) error { return errNoInformer }

// Start implements [cache.Informers].
func (c *Cache) Start(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// WaitForCacheSync implements [cache.Informers].
func (c *Cache) WaitForCacheSync(context.Context) bool { return true }

// informer is that of one kind.
type informer struct {
	cache *Cache
	gvk   schema.GroupVersionKind
	typed bool
}

// AddEventHandlerWithOptions implements [cache.Informer]: the handler is told what
// there is.
func (i *informer) AddEventHandlerWithOptions(
	handler toolscache.ResourceEventHandler, _ toolscache.HandlerOptions,
) (toolscache.ResourceEventHandlerRegistration, error) {
	i.cache.mu.Lock()
	view := i.cache.view(i.gvk)
	view.handlers = append(view.handlers, listener{handler, i.typed})
	var there []client.Object
	for _, key := range view.keys("") {
		object, err := view.object(i.cache.scheme, key, i.typed)
		if err != nil {
			i.cache.mu.Unlock()
			return nil, err
		}
		there = append(there, object)
	}
	i.cache.mu.Unlock()
	for _, object := range there {
		handler.OnAdd(object, true)
	}
	return i, nil
}

// AddEventHandler implements [cache.Informer].
func (i *informer) AddEventHandler(handler toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(handler, toolscache.HandlerOptions{})
}

// AddEventHandlerWithResyncPeriod implements [cache.Informer]. Nothing is told again.
func (i *informer) AddEventHandlerWithResyncPeriod(
	handler toolscache.ResourceEventHandler, _ time.Duration,
) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandlerWithOptions(handler, toolscache.HandlerOptions{})
}

// RemoveEventHandler implements [cache.Informer]. It cannot be done here.
func (i *informer) RemoveEventHandler(toolscache.ResourceEventHandlerRegistration) error {
	return errNoInformer
}

// AddIndexers implements [cache.Informer]. Indexes are of the cache.
func (i *informer) AddIndexers(toolscache.Indexers) error { return nil }

// HasSynced implements [cache.Informer].
func (i *informer) HasSynced() bool { return true }

// HasSyncedChecker implements the newer way to ask for it.
func (i *informer) HasSyncedChecker() toolscache.DoneChecker { return synced{} }

// IsStopped implements [cache.Informer].
func (i *informer) IsStopped() bool { return false }

type synced struct{}

func (synced) Name() string          { return "operator" }
func (synced) Done() <-chan struct{} { return closed }

var closed = func() chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}()
