package resources

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/reconcile"
)

// made lists the children of the object that this step made: those that the
// cache has, and those that it applied last if the cache has not seen them yet.
func (e *engine[T, C]) made(ctx context.Context, run *reconcile.Run[T], slots ...*slot[C]) ([]C, error) {
	children, err := e.cached(ctx, run)
	if err != nil {
		return nil, err
	}
	seen := map[client.ObjectKey]bool{}
	for _, child := range children {
		seen[client.ObjectKeyFromObject(child)] = true
	}
	for _, slot := range slots {
		known := slot.record
		if known == nil || seen[known.key] {
			continue
		}
		live, err := e.lookLive(ctx, run, slot, known.key)
		if err != nil {
			return nil, err
		}
		if live == nil {
			continue
		}
		if !known.isOf(live.shared) || !e.isOurs(run, live.shared) {
			slot.record = nil
			continue
		}
		children = append(children, live.shared)
	}
	return children, nil
}

// cached lists, from the cache, the children of the object that carry the mark
// of this step: by the owner index, or by the label where the index is not
// registered, which takes longer the more such objects there are.
func (e *engine[T, C]) cached(ctx context.Context, run *reconcile.Run[T]) ([]C, error) {
	list, err := e.newList(run.Scheme())
	if err != nil {
		return nil, reconcile.Terminal(fmt.Errorf("list %s: %w", e.kindName(), err))
	}
	reader := client.Reader(run.Client())
	if _, ok := list.(*unstructured.UnstructuredList); ok {
		reader = run.Cache()
	}
	within := client.InNamespace(e.namespace(run))
	byIndex := run.Matching(ownerIndex, string(run.Object().GetUID()))
	if err := reader.List(ctx, list, within, byIndex, client.UnsafeDisableDeepCopy); err != nil {
		if again := reader.List(ctx, list, within, e.byLabel(run), client.UnsafeDisableDeepCopy); again != nil {
			return nil, fmt.Errorf("list %s: %w", e.kindName(), errors.Join(err, again))
		}
	}
	return e.ours(run, list)
}

// stored lists, past the cache, the children of the object that carry the mark
// of this step and are tied to it by label.
func (e *engine[T, C]) stored(ctx context.Context, run *reconcile.Run[T]) ([]C, error) {
	list, err := e.newList(run.Scheme())
	if err != nil {
		return nil, reconcile.Terminal(fmt.Errorf("list %s: %w", e.kindName(), err))
	}
	err = run.Live().List(ctx, list, client.InNamespace(e.namespace(run)), e.byLabel(run))
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", e.kindName(), err)
	}
	return e.ours(run, list)
}

// byLabel returns the option that lists what may be ours by its labels.
func (e *engine[T, C]) byLabel(run *reconcile.Run[T]) client.ListOption {
	if e.shared {
		return client.HasLabels{e.shareKey(run)}
	}
	selector := labels.NewSelector()
	if marked, err := labels.NewRequirement(StepLabel, selection.In, e.marks(run)); err == nil {
		selector = selector.Add(*marked)
	}
	if e.finalizer() != "" {
		owned, err := labels.NewRequirement(OwnerUIDLabel, selection.Equals, []string{string(run.Object().GetUID())})
		if err == nil {
			selector = selector.Add(*owned)
		}
	}
	return client.MatchingLabelsSelector{Selector: selector}
}

// ours picks from a list what is ours.
func (e *engine[T, C]) ours(run *reconcile.Run[T], list client.ObjectList) ([]C, error) {
	var children []C
	err := meta.EachListItem(list, func(item runtime.Object) error {
		if child, ok := item.(C); ok && e.isOurs(run, child) {
			children = append(children, child)
		}
		return nil
	})
	return children, err
}

// namespace returns where children can be, "" for anywhere.
func (e *engine[T, C]) namespace(run *reconcile.Run[T]) string {
	if e.detached != "" {
		return ""
	}
	return run.Object().GetNamespace()
}

// named names a child for people.
func (e *engine[T, C]) named(child C) string {
	return nameFor(e.step, e.kindName(), client.ObjectKeyFromObject(child))
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
