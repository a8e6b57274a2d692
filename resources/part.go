package resources

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// partAll leaves children behind, as [Orphan] and [Keep] say.
func (e *engine[T, C]) partAll(ctx context.Context, run *reconcile.Run[T], children []C, slots ...*slot[C]) (reconcile.Result, error) {
	for _, child := range children {
		for _, slot := range slots {
			if slot.record.isOf(child) {
				slot.record = nil
			}
		}
		if err := e.part(ctx, run, client.ObjectKeyFromObject(child)); err != nil {
			return reconcile.Result{}, err
		}
	}
	return reconcile.Continue, nil
}

// part leaves one child behind. It works from a read past the cache, which may
// have dropped the managedFields, under an optimistic lock.
func (e *engine[T, C]) part(ctx context.Context, run *reconcile.Run[T], key client.ObjectKey) error {
	for attempt := 1; ; attempt++ {
		live := e.empty(key)
		err := run.Live().Get(ctx, key, live)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", e.named(live), err)
		}
		if !e.isOurs(run, live) || !live.GetDeletionTimestamp().IsZero() {
			return nil // it goes, or is not ours to leave
		}
		body, err := e.parting(run, live)
		if err != nil {
			return err
		}
		answer := e.empty(key)
		err = run.Client().Patch(ctx, answer, client.RawPatch(types.MergePatchType, body),
			client.FieldOwner(e.manager(run)), causeOfEnd(run))
		switch {
		case err == nil:
			reason, how := "Orphaned", "left %s %s behind, which is nobody's now"
			if e.policy == Keep {
				reason, how = "Kept", "kept %s %s for an owner of the same name"
			}
			run.Event(answer, reason, "Patch", how, e.kindName(), key.Name)
			return nil
		case apierrors.IsNotFound(err):
			return nil
		case !apierrors.IsConflict(err) || attempt == attempts:
			return reasoned(err, fmt.Errorf("leave %s behind: %w", e.named(live), err))
		}
	}
}

// parting returns the merge patch that takes off a child what ties it to its
// owner.
func (e *engine[T, C]) parting(run *reconcile.Run[T], live C) ([]byte, error) {
	labels := map[string]any{OwnerUIDLabel: nil}
	metadata := map[string]any{"resourceVersion": live.GetResourceVersion(), "labels": labels}
	owner := run.Object().GetUID()
	references := slices.DeleteFunc(live.GetOwnerReferences(), func(reference metav1.OwnerReference) bool {
		return reference.UID == owner
	})
	metadata["ownerReferences"] = references
	if len(references) == 0 {
		metadata["ownerReferences"] = nil
	}
	if e.policy != Keep {
		labels[StepLabel] = nil
		metadata["annotations"] = map[string]any{OwnerAnnotation: nil}
		metadata["managedFields"] = unmanaged(live.GetManagedFields(), e.manager(run))
	}
	return json.Marshal(map[string]any{"metadata": metadata})
}

// unmanaged returns entries of managedFields without those of a field manager. A
// list with nothing but an empty entry is how the server is told that there are
// none: an empty list it takes for no change.
func unmanaged(entries []metav1.ManagedFieldsEntry, manager string) []metav1.ManagedFieldsEntry {
	others := make([]metav1.ManagedFieldsEntry, 0, len(entries))
	for i := range entries {
		if entries[i].Manager != manager {
			others = append(others, entries[i])
		}
	}
	if len(others) == 0 {
		return []metav1.ManagedFieldsEntry{{}}
	}
	return others
}
