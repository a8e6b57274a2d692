package memory

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// GarbageCollector is the garbage collector of Kubernetes: it deletes what no owner
// is left of, in the background, and obeys the finalizers "foregroundDeletion" and
// "orphan". An owner in another namespace counts as gone, as it does there.
var GarbageCollector Actor = ActorFunc(collect)

func collect(ctx context.Context, cluster Cluster) (bool, error) {
	objects := cluster.All()
	present := map[types.UID]*unstructured.Unstructured{}
	for _, object := range objects {
		present[object.GetUID()] = object
	}
	for _, object := range objects {
		switch {
		case object.GetDeletionTimestamp() == nil && orphaned(object, present):
			uid := object.GetUID()
			err := cluster.As("garbage-collector").Delete(ctx, object.DeepCopy(),
				client.PropagationPolicy(metav1.DeletePropagationBackground), client.Preconditions{UID: &uid})
			return true, client.IgnoreNotFound(err)
		case object.GetDeletionTimestamp() != nil && slices.Contains(object.GetFinalizers(), metav1.FinalizerDeleteDependents):
			if did, err := cascade(ctx, cluster, object, objects); did || err != nil {
				return did, err
			}
		case object.GetDeletionTimestamp() != nil && slices.Contains(object.GetFinalizers(), metav1.FinalizerOrphanDependents):
			return true, release(ctx, cluster, object, objects)
		}
	}
	return false, nil
}

// orphaned reports whether an object has owners and none of them is there.
func orphaned(object *unstructured.Unstructured, present map[types.UID]*unstructured.Unstructured) bool {
	for _, owner := range object.GetOwnerReferences() {
		found, ok := present[owner.UID]
		if ok && (found.GetNamespace() == "" || found.GetNamespace() == object.GetNamespace()) {
			return false
		}
	}
	return len(object.GetOwnerReferences()) > 0
}

// cascade deletes the dependents of an object that is deleted in the foreground, and
// lets it go when none of those that block it is left.
func cascade(ctx context.Context, cluster Cluster, owner *unstructured.Unstructured, objects []*unstructured.Unstructured) (bool, error) {
	blocked := false
	for _, object := range objects {
		at := ownedAt(object, owner.GetUID())
		if at < 0 {
			continue
		}
		if object.GetDeletionTimestamp() == nil {
			err := cluster.As("garbage-collector").Delete(ctx, object.DeepCopy(), client.PropagationPolicy(metav1.DeletePropagationForeground))
			return true, client.IgnoreNotFound(err)
		}
		block := object.GetOwnerReferences()[at].BlockOwnerDeletion
		blocked = blocked || block != nil && *block
	}
	if blocked {
		return false, nil
	}
	return true, dropFinalizer(ctx, cluster, owner, metav1.FinalizerDeleteDependents)
}

// release takes an object out of its dependents, and lets it go.
func release(ctx context.Context, cluster Cluster, owner *unstructured.Unstructured, objects []*unstructured.Unstructured) error {
	for _, object := range objects {
		if at := ownedAt(object, owner.GetUID()); at >= 0 {
			changed := object.DeepCopy()
			changed.SetOwnerReferences(slices.Delete(changed.GetOwnerReferences(), at, at+1))
			return cluster.As("garbage-collector").Patch(ctx, changed, client.MergeFrom(object))
		}
	}
	return dropFinalizer(ctx, cluster, owner, metav1.FinalizerOrphanDependents)
}

func ownedAt(object *unstructured.Unstructured, owner types.UID) int {
	return slices.IndexFunc(object.GetOwnerReferences(), func(reference metav1.OwnerReference) bool { return reference.UID == owner })
}

func dropFinalizer(ctx context.Context, cluster Cluster, object *unstructured.Unstructured, name string) error {
	changed := object.DeepCopy()
	changed.SetFinalizers(slices.DeleteFunc(changed.GetFinalizers(), func(have string) bool { return have == name }))
	err := cluster.As("garbage-collector").Patch(ctx, changed, client.MergeFromWithOptions(object, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil // it has changed in the meantime: the next look tells
	}
	return err
}
