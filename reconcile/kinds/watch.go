package kinds

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	toolscache "k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// syncTimeout is how long a pass waits for a kind to be listed.
const syncTimeout = 10 * time.Second

// watch is the watch on one kind.
type watch struct {
	kind     schema.GroupVersionKind
	owners   map[client.ObjectKey]bool // that need it
	cache    cache.Cache
	informer cache.Informer
	end      context.CancelFunc
}

// begin starts a watch, which goes on until it is ended or the controller is.
func (w *Watches) begin(kind schema.GroupVersionKind) (*watch, error) {
	made := &watch{kind: kind, owners: map[client.ObjectKey]bool{}}
	options := cache.Options{
		Scheme: w.mgr.GetScheme(), Mapper: w.mgr.GetRESTMapper(), HTTPClient: w.mgr.GetHTTPClient(),
		DefaultWatchErrorHandler: func(ctx context.Context, r *toolscache.Reflector, err error) {
			if apierrors.IsNotFound(err) {
				go w.removed(made)
				return
			}
			toolscache.DefaultWatchErrorHandler(ctx, r, err)
		},
	}
	for _, namespace := range w.in {
		if options.DefaultNamespaces == nil {
			options.DefaultNamespaces = map[string]cache.Config{}
		}
		options.DefaultNamespaces[namespace] = cache.Config{}
	}
	var err error
	if made.cache, err = cache.New(w.mgr.GetConfig(), options); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(w.ctx)
	made.end = cancel
	if made.informer, err = made.cache.GetInformer(ctx, blank(kind), cache.BlockUntilSynced(false)); err != nil {
		cancel()
		return nil, err
	}
	if _, err = made.informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    w.wake,
		UpdateFunc: func(_, object any) { w.wake(object) },
		DeleteFunc: w.wake,
	}); err != nil {
		cancel()
		return nil, err
	}
	go func() {
		if err := made.cache.Start(ctx); err != nil {
			log.FromContext(ctx).Error(err, "watch a kind", "kind", kind.String())
		}
	}()
	return made, nil
}

// blank returns an object of a kind.
func blank(kind schema.GroupVersionKind) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object
}

// synced waits until what there is of the kind has been listed.
func (o *watch) synced(ctx context.Context) error {
	err := wait.PollUntilContextTimeout(ctx, 5*time.Millisecond, syncTimeout, true, func(context.Context) (bool, error) {
		return o.informer.HasSynced(), nil
	})
	if err != nil {
		return fmt.Errorf("list %s: %w", o.kind, err)
	}
	return nil
}

// wake enqueues the object that controls another one.
func (w *Watches) wake(object any) {
	if last, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	child, ok := object.(client.Object)
	if !ok {
		return
	}
	controller := metav1.GetControllerOfNoCopy(child)
	if controller == nil || controller.Kind != w.kind.Kind {
		return
	}
	if group, err := schema.ParseGroupVersion(controller.APIVersion); err != nil || group.Group != w.kind.Group {
		return
	}
	request := ctrl.Request{}
	request.Name = controller.Name
	if w.ownersInNamespaces() {
		request.Namespace = child.GetNamespace()
	}
	w.queue.Add(request)
}

// ownersInNamespaces reports whether the objects that are woken are in namespaces.
func (w *Watches) ownersInNamespaces() bool {
	namespaced, err := w.mgr.GetClient().IsObjectNamespaced(w.owner)
	return err != nil || namespaced
}

// Get reads an object of a kind that is needed from the cache.
func (w *Watches) Get(ctx context.Context, key client.ObjectKey, into *unstructured.Unstructured) error {
	kind := into.GroupVersionKind()
	w.mu.Lock()
	found, ok := w.byKind[kind]
	w.mu.Unlock()
	if !ok {
		return fmt.Errorf("read %s %s: no object needs the kind", kind.Kind, key)
	}
	return found.cache.Get(ctx, key, into)
}
