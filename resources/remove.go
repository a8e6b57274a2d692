package resources

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/reconcile"
)

// pollInterval is how often a step looks again at what no watch of its owner
// tells it about.
const pollInterval = time.Minute

// remove deletes what this step made for the object, and waits until it is
// gone. It does not call the author's function, which has no child to name.
func (e *engine[T, C]) remove(ctx context.Context, run *reconcile.Run[T], slot *slot[C]) (reconcile.Result, error) {
	children, err := e.made(ctx, run, slot)
	if err != nil {
		return reconcile.Result{}, err
	}
	if len(children) == 0 {
		slot.record = nil
		return reconcile.Continue, nil
	}
	for _, child := range children {
		if !child.GetDeletionTimestamp().IsZero() {
			continue
		}
		if err := e.delete(ctx, run, slot, child); err != nil {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Wait("Deleting", fmt.Sprintf("%s is not wanted and is being deleted",
		e.named(children[0]))), nil
}

// made lists the children of the object that this step made: those that the
// cache has, and the one that it applied last if the cache has not seen it yet.
func (e *engine[T, C]) made(ctx context.Context, run *reconcile.Run[T], slot *slot[C]) ([]C, error) {
	children, err := e.cached(ctx, run)
	if err != nil {
		return nil, err
	}
	known := slot.record
	if known == nil {
		return children, nil
	}
	for _, child := range children {
		if child.GetUID() == known.uid {
			return children, nil
		}
	}
	live, err := e.lookLive(ctx, run, slot, known.key)
	if err != nil || live == nil {
		return children, err
	}
	if live.shared.GetUID() != known.uid || !e.isOurs(run, live.shared) {
		slot.record = nil
		return children, nil
	}
	return append(children, live.shared), nil
}

// cached lists, from the cache and by the owner index, the children of the
// object that carry the mark of this step.
func (e *engine[T, C]) cached(ctx context.Context, run *reconcile.Run[T]) ([]C, error) {
	list, err := e.newList(run.Scheme())
	if err != nil {
		return nil, reconcile.Terminal(fmt.Errorf("list %s: %w", e.kindName(), err))
	}
	reader := client.Reader(run.Client())
	if _, ok := list.(*unstructured.UnstructuredList); ok {
		reader = run.Cache()
	}
	err = reader.List(ctx, list,
		client.InNamespace(run.Object().GetNamespace()),
		run.Matching(ownerIndex, string(run.Object().GetUID())),
		client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", e.kindName(), err)
	}
	var children []C
	err = meta.EachListItem(list, func(item runtime.Object) error {
		if child, ok := item.(C); ok && e.isOurs(run, child) {
			children = append(children, child)
		}
		return nil
	})
	return children, err
}

// isOurs reports whether the object controls the child and this step made it.
func (e *engine[T, C]) isOurs(run *reconcile.Run[T], child C) bool {
	return controls(run.Object().GetUID(), child) && child.GetLabels()[StepLabel] == e.mark(run)
}

// delete deletes one child, if it is still the one that was seen. That it is
// gone is as good; that it has changed is looked at once more.
func (e *engine[T, C]) delete(ctx context.Context, run *reconcile.Run[T], slot *slot[C], child C) error {
	if slot.record != nil && slot.record.uid == child.GetUID() {
		slot.record = nil // what was applied is not what is wanted any more
	}
	for attempt := 1; ; attempt++ {
		target := e.empty(client.ObjectKeyFromObject(child))
		uid, version := child.GetUID(), child.GetResourceVersion()
		err := run.Client().Delete(ctx, target,
			client.Preconditions{UID: &uid, ResourceVersion: &version},
			client.PropagationPolicy(metav1.DeletePropagationBackground))
		switch {
		case err == nil:
			run.Event(target, "Deleted", "Delete", "deleted %s %s, which is not wanted", e.kindName(), target.GetName())
			return nil
		case apierrors.IsNotFound(err):
			return nil
		case !apierrors.IsConflict(err) || attempt == attempts:
			return fmt.Errorf("delete %s: %w", e.named(child), err)
		}
		live := e.empty(client.ObjectKeyFromObject(child))
		if err := run.Live().Get(ctx, client.ObjectKeyFromObject(child), live); err != nil {
			if apierrors.IsNotFound(err) {
				return nil
			}
			return fmt.Errorf("read %s: %w", e.named(child), err)
		}
		if live.GetUID() != uid || !e.isOurs(run, live) || !live.GetDeletionTimestamp().IsZero() {
			return nil
		}
		child = live
	}
}

// named names a child for people.
func (e *engine[T, C]) named(child C) string {
	return fmt.Sprintf("%s %s", e.kindName(), client.ObjectKeyFromObject(child))
}

// newList returns an empty list of the child's kind.
func (e *engine[T, C]) newList(scheme *runtime.Scheme) (client.ObjectList, error) {
	gvk, err := apiutil.GVKForObject(e.prototype, scheme)
	if err != nil {
		return nil, err
	}
	gvk = gvk.GroupVersion().WithKind(gvk.Kind + "List")
	if _, ok := any(e.prototype).(*unstructured.Unstructured); ok {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk)
		return list, nil
	}
	return newTypedList(scheme, gvk)
}

func newTypedList(scheme *runtime.Scheme, gvk schema.GroupVersionKind) (client.ObjectList, error) {
	object, err := scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	list, ok := object.(client.ObjectList)
	if !ok {
		return nil, errors.New(gvk.Kind + " is not a list")
	}
	return list, nil
}
