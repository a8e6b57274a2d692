package resources

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/reconcile"
)

// leaveAll takes what this step holds of children away from them, for
// [Child.Share].
func (e *engine[T, C]) leaveAll(
	ctx context.Context, run *reconcile.Run[T], children []C, slots ...*slot[C],
) (reconcile.Result, error) {
	for _, child := range children {
		for _, slot := range slots {
			if slot.record.isOf(child) {
				slot.record = nil // what was applied is not what is wanted any more
			}
		}
		if err := e.leave(ctx, run, client.ObjectKeyFromObject(child)); err != nil {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Continue, nil
}

// leave takes what this step holds of a child away from it, or deletes the child
// if nobody else holds anything of it. It decides on what a read past the cache
// shows, and both requests carry that resourceVersion: of two that leave at once
// the second sees that it is the last.
func (e *engine[T, C]) leave(ctx context.Context, run *reconcile.Run[T], key client.ObjectKey) error {
	for attempt := 1; ; attempt++ {
		live := e.empty(key)
		err := run.Live().Get(ctx, key, live)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", e.named(live), err)
		}
		if !e.isOurs(run, live) || !live.GetDeletionTimestamp().IsZero() || goesWith(run, live) {
			return nil
		}
		last := heldByNobodyElse(live, e.manager(run))
		if last {
			err = e.deleteLast(ctx, run, live)
		} else {
			err = e.applyNothing(ctx, run, live)
		}
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case err == nil && last:
			run.Event(live, "Deleted", "Delete", "deleted %s %s, which nobody holds any more", e.kindName(), key.Name)
			return nil
		case err == nil:
			run.Event(live, "Released", "Apply", "released %s %s, which others hold", e.kindName(), key.Name)
			return nil
		case !apierrors.IsConflict(err) || attempt == attempts:
			return reasoned(err, fmt.Errorf("release %s: %w", e.named(live), err))
		}
	}
}

// goesWith reports whether a child goes with its owner, which is being deleted:
// changing it before would only stir up its pods.
func goesWith[T client.Object](run *reconcile.Run[T], child client.Object) bool {
	return run.Deleting() && metav1.IsControlledBy(child, run.Object())
}

// deleteLast deletes a child of which nothing would be left.
func (e *engine[T, C]) deleteLast(ctx context.Context, run *reconcile.Run[T], live C) error {
	uid, version := live.GetUID(), live.GetResourceVersion()
	return run.Client().Delete(ctx, e.empty(client.ObjectKeyFromObject(live)),
		client.Preconditions{UID: &uid, ResourceVersion: &version},
		client.PropagationPolicy(metav1.DeletePropagationBackground), causeOfEnd(run))
}

// applyNothing makes the server take away every field that the step's field
// manager is the only one to own.
func (e *engine[T, C]) applyNothing(ctx context.Context, run *reconcile.Run[T], live C) error {
	gvk, err := apiutil.GVKForObject(e.prototype, run.Scheme())
	if err != nil {
		return err
	}
	body, err := json.Marshal(metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: live.GetNamespace(), Name: live.GetName(),
			UID: live.GetUID(), ResourceVersion: live.GetResourceVersion(),
		},
	})
	if err != nil {
		return err
	}
	return run.Client().Patch(ctx, e.empty(client.ObjectKeyFromObject(live)), client.RawPatch(types.ApplyPatchType, body),
		client.FieldOwner(e.manager(run)), client.ForceOwnership, causeOfEnd(run))
}
