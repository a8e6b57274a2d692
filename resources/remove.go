package resources

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// pollInterval is how often a step looks again at what no watch of its owner
// tells it about.
const pollInterval = time.Minute

// remove deletes what this step made for the object, and waits until it is
// gone. It does not call the author's function, which has no child to name.
func (e *engine[T, C]) remove(ctx context.Context, run *reconcile.Run[T], slots ...*slot[C]) (reconcile.Result, error) {
	children, err := e.made(ctx, run, slots...)
	if meta.IsNoMatchError(err) {
		return reconcile.Continue, nil // there is nothing of a kind that there is not
	}
	if err == nil && len(children) == 0 && (e.ifWanted || run.Retiring()) && e.isHeld(run) {
		children, err = e.stored(ctx, run) // to be certain before the finalizer goes
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	return e.deleteAll(ctx, run, children, slots...)
}

// deleteAll deletes children that are not wanted, and waits until they are gone,
// or leaves them behind if that is the policy.
func (e *engine[T, C]) deleteAll(
	ctx context.Context, run *reconcile.Run[T], children []C, slots ...*slot[C],
) (reconcile.Result, error) {
	if len(children) == 0 {
		return reconcile.Continue, nil
	}
	if e.shared {
		return e.leaveAll(ctx, run, children, slots...)
	}
	if e.leaves() {
		return e.partAll(ctx, run, slices.DeleteFunc(children, isTerminating[C]), slots...)
	}
	for _, child := range children {
		if isTerminating(child) {
			continue
		}
		for _, slot := range slots {
			if slot.record.isOf(child) {
				slot.record = nil // what was applied is not what is wanted any more
			}
		}
		if err := e.delete(ctx, run, child, causeOfEnd(run), "is not wanted"); err != nil {
			return reconcile.Result{}, err
		}
	}
	return e.going(children), nil
}

func isTerminating[C client.Object](child C) bool { return !child.GetDeletionTimestamp().IsZero() }

// delete deletes one child, if it is still the one that was seen. That it is
// gone is as good; that it has changed is looked at once more.
func (e *engine[T, C]) delete(
	ctx context.Context, run *reconcile.Run[T], child C, cause reconcile.Cause, why string,
) error {
	for attempt := 1; ; attempt++ {
		target := e.empty(client.ObjectKeyFromObject(child))
		uid, version := child.GetUID(), child.GetResourceVersion()
		err := run.Client().Delete(ctx, target,
			client.Preconditions{UID: &uid, ResourceVersion: &version},
			e.propagation(), cause)
		switch {
		case err == nil:
			run.Event(target, "Deleted", "Delete", "deleted %s %s, which %s", e.kindName(), target.GetName(), why)
			return nil
		case apierrors.IsNotFound(err):
			return nil
		case !apierrors.IsConflict(err) || attempt == attempts:
			return reasoned(err, fmt.Errorf("delete %s: %w", e.named(child), err))
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
