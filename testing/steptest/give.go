package steptest

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// give makes the objects that are given, and returns the revision that the cache begins
// with: 0 for the latest.
func (b *bench) give() *uint64 {
	b.t.Helper()
	giver := &giver{user: b.user, namespace: b.namespace, uids: map[types.UID]types.UID{}}
	must := func(object client.Object, err error) {
		b.t.Helper()
		if err != nil {
			b.t.Fatalf("%s: give %T %s: %v", b.Reason, object, object.GetName(), err)
		}
	}
	latest := map[client.Object]client.Object{} // what becomes of the stale ones
	for _, object := range b.Given {
		first := object
		for _, stale := range b.Stale {
			if b.same(stale, object) {
				first, latest[stale] = stale, object
			}
		}
		must(first, giver.create(b.t.Context(), first))
	}
	for _, stale := range b.Stale {
		if latest[stale] == nil {
			must(stale, giver.create(b.t.Context(), stale))
		}
	}
	if b.caughtUp(); len(b.Stale) == 0 {
		return nil
	}
	from := b.ground.Revision()
	for _, stale := range b.Stale {
		if object := latest[stale]; object != nil {
			must(object, giver.change(b.t.Context(), object))
		} else {
			must(stale, giver.remove(b.t.Context(), stale))
		}
	}
	b.caughtUp()
	return &from
}

// same reports whether two objects are the same one.
func (b *bench) same(one, other client.Object) bool {
	return b.kind(one) == b.kind(other) && one.GetName() == other.GetName() && one.GetNamespace() == other.GetNamespace()
}

// giver makes objects.
type giver struct {
	user      client.Client
	namespace string
	uids      map[types.UID]types.UID // the real ones, by those that were made up
}

// prepared returns a copy of an object with its place and its owners, without its UID.
func (g *giver) prepared(object client.Object) (client.Object, error) {
	made := object.DeepCopyObject().(client.Object)
	namespaced, err := g.user.IsObjectNamespaced(made)
	if err != nil {
		return nil, err
	}
	if namespaced && (made.GetNamespace() == "" || made.GetNamespace() == given) {
		made.SetNamespace(g.namespace)
	}
	owners := made.GetOwnerReferences()
	for i := range owners {
		if uid, ok := g.uids[owners[i].UID]; ok {
			owners[i].UID = uid
		}
	}
	made.SetOwnerReferences(owners)
	made.SetUID("")
	return made, nil
}

// create creates an object, and writes its status if it has one.
func (g *giver) create(ctx context.Context, object client.Object) error {
	made, err := g.prepared(object)
	if err != nil {
		return err
	}
	status, err := statusOf(made)
	if err != nil {
		return err
	}
	if err := g.user.Create(ctx, made); err != nil {
		return err
	}
	if uid := object.GetUID(); uid != "" {
		g.uids[uid] = made.GetUID()
	}
	if err := g.tell(ctx, made, status); err != nil {
		return err
	}
	return g.mark(ctx, object, made)
}

// change makes an object that there is what it is given as.
func (g *giver) change(ctx context.Context, object client.Object) error {
	made, err := g.prepared(object)
	if err != nil {
		return err
	}
	status, err := statusOf(made)
	if err != nil {
		return err
	}
	there := made.DeepCopyObject().(client.Object)
	if err := g.user.Get(ctx, client.ObjectKeyFromObject(made), there); err != nil {
		return err
	}
	made.SetUID(there.GetUID())
	made.SetResourceVersion(there.GetResourceVersion())
	made.SetDeletionTimestamp(there.GetDeletionTimestamp())
	made.SetDeletionGracePeriodSeconds(there.GetDeletionGracePeriodSeconds())
	if object.GetDeletionTimestamp() == nil && there.GetDeletionTimestamp() != nil {
		return errors.New("it is being deleted where it is stale, which no object comes back from")
	}
	if err := g.user.Update(ctx, made); err != nil {
		return err
	}
	if err := g.tell(ctx, made, status); err != nil {
		return err
	}
	return g.mark(ctx, object, made)
}

// mark has an object be deleted that is given as one that is.
func (g *giver) mark(ctx context.Context, object, made client.Object) error {
	if object.GetDeletionTimestamp() == nil || made.GetDeletionTimestamp() != nil {
		return nil
	}
	if len(object.GetFinalizers()) == 0 {
		return errors.New("it has a deletionTimestamp and no finalizer: such an object is gone")
	}
	return g.user.Delete(ctx, made)
}

func (g *giver) remove(ctx context.Context, object client.Object) error {
	made, err := g.prepared(object)
	if err != nil {
		return err
	}
	return g.user.Delete(ctx, made)
}

// statusOf returns the status of an object, nil if it has none.
func statusOf(object client.Object) (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	status, _ := content["status"].(map[string]any)
	return status, nil
}

// tell writes a status.
func (g *giver) tell(ctx context.Context, made client.Object, status map[string]any) error {
	if len(status) == 0 {
		return nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
	if err != nil {
		return err
	}
	content["status"] = status
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, made); err != nil {
		return err
	}
	return g.user.Status().Update(ctx, made)
}
