package kinds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// LookAgain is how long a kind that the server does not know is taken for absent.
const LookAgain = 10 * time.Second

// defaultLimit is how many kinds are watched at the same time unless it is told
// otherwise.
const defaultLimit = 32

// Watches are watches on kinds, each for as long as an object needs it. Each kind
// has a cache of its own, so that nothing is left of it when it is let go. Safe for
// concurrent use. Make one with [New], for one controller.
type Watches struct {
	mgr   ctrl.Manager
	owner client.Object
	limit int
	in    []string // namespaces, none for all

	mu     sync.Mutex
	ctx    context.Context //nolint:containedctx // of the controller, in which watches end
	queue  workqueue.TypedRateLimitingInterface[ctrl.Request]
	kind   schema.GroupVersionKind // of the owner
	byKind map[schema.GroupVersionKind]*watch
	absent map[schema.GroupVersionKind]time.Time // until when
}

// New returns watches that wake objects of the owner's kind for events of what they
// control.
func New(mgr ctrl.Manager, owner client.Object) *Watches {
	return &Watches{
		mgr: mgr, owner: owner, limit: defaultLimit,
		byKind: map[schema.GroupVersionKind]*watch{},
		absent: map[schema.GroupVersionKind]time.Time{},
	}
}

// Limit sets how many kinds are watched at the same time. Defaults to 32.
func (w *Watches) Limit(n int) *Watches {
	w.limit = n
	return w
}

// In limits the watches to namespaces, as the manager's cache may be limited too.
// Defaults to all.
func (w *Watches) In(namespaces ...string) *Watches {
	w.in = append(w.in, namespaces...)
	return w
}

// Source returns what the controller is woken by. It has to be given to the builder:
// before the controller has started it, nothing can be needed.
func (w *Watches) Source() source.Source {
	return source.Func(func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
		kind, err := apiutil.GVKForObject(w.owner, w.mgr.GetScheme())
		if err != nil {
			return err
		}
		informer, err := w.mgr.GetCache().GetInformer(ctx, w.owner)
		if err != nil {
			return fmt.Errorf("watch %s: %w", kind.Kind, err)
		}
		w.mu.Lock()
		w.ctx, w.queue, w.kind = ctx, queue, kind
		w.mu.Unlock()
		_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{DeleteFunc: w.ownerGone})
		return err
	})
}

// ownerGone lets go of what a deleted object needed.
func (w *Watches) ownerGone(object any) {
	if last, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	if owner, ok := object.(client.Object); ok {
		w.release(client.ObjectKeyFromObject(owner))
	}
}

// Need sees to it that the kinds are watched for an object, and no others any more,
// and waits until they can be read. A kind that the server does not know is a
// NoMatch error: it is asked again for it after [LookAgain]. It is an error if more
// kinds would be watched than the limit allows; what was needed before stays then.
// A kind that is removed from the server is let go, and the objects that need it are
// woken.
func (w *Watches) Need(ctx context.Context, owner client.ObjectKey, kinds ...schema.GroupVersionKind) error {
	for _, kind := range kinds {
		if err := w.served(kind); err != nil {
			return err
		}
	}
	needed, err := w.hold(ctx, owner, kinds)
	if err != nil {
		return err
	}
	for _, watch := range needed {
		if err := watch.synced(ctx); err != nil {
			return err
		}
	}
	return nil
}

// hold starts the watches that are missing and lets go of those that are not needed.
// An object that the cache does not have any more holds nothing, because nobody would
// let go of it; if the cache has it, it will tell when it is gone.
func (w *Watches) hold(ctx context.Context, owner client.ObjectKey, kinds []schema.GroupVersionKind) ([]*watch, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue == nil {
		return nil, errors.New("the controller has not started the source of the watches")
	}
	known := w.owner.DeepCopyObject().(client.Object)
	if err := w.mgr.GetCache().Get(ctx, owner, known, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("read the owner: %w", err)
	}
	var needed []*watch
	for _, kind := range kinds {
		found, err := w.of(kind)
		if err != nil {
			return nil, err
		}
		found.owners[owner] = true
		needed = append(needed, found)
	}
	for kind, found := range w.byKind {
		if !slices.Contains(kinds, kind) {
			w.leave(found, owner)
		}
	}
	return needed, nil
}

// of returns the watch on a kind, begun if there is none.
func (w *Watches) of(kind schema.GroupVersionKind) (*watch, error) {
	if found, ok := w.byKind[kind]; ok {
		return found, nil
	}
	if len(w.byKind) >= w.limit {
		return nil, fmt.Errorf("watch %s: %d kinds are watched already", kind, w.limit)
	}
	made, err := w.begin(kind)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", kind, err)
	}
	w.byKind[kind] = made
	return made, nil
}

// release lets go of what an object needed.
func (w *Watches) release(owner client.ObjectKey) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, found := range w.byKind {
		w.leave(found, owner)
	}
}

// leave ends a watch that no object needs without this one.
func (w *Watches) leave(found *watch, owner client.ObjectKey) {
	delete(found.owners, owner)
	if len(found.owners) == 0 {
		found.end()
		delete(w.byKind, found.kind)
	}
}

// removed ends the watch on a kind that the server does not know any more, and wakes
// the objects that need it.
func (w *Watches) removed(gone *watch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byKind[gone.kind] != gone {
		return
	}
	gone.end()
	delete(w.byKind, gone.kind)
	w.absent[gone.kind] = time.Now().Add(LookAgain)
	for owner := range gone.owners {
		w.queue.Add(ctrl.Request{NamespacedName: owner})
	}
}

// Kinds returns the kinds that are watched, in no order.
func (w *Watches) Kinds() []schema.GroupVersionKind {
	w.mu.Lock()
	defer w.mu.Unlock()
	kinds := make([]schema.GroupVersionKind, 0, len(w.byKind))
	for kind := range w.byKind {
		kinds = append(kinds, kind)
	}
	return kinds
}
