package memory

import (
	"context"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"
)

// Delete implements rest.GracefulDeleter: an object without finalizers goes at
// once, any other is marked.
func (s *storage) Delete(
	ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions,
) (runtime.Object, bool, error) {
	store := storeOf(ctx)
	store.mu.Lock()
	defer store.mu.Unlock()
	at := s.at(ctx, name)
	there, ok := store.objects[at]
	if !ok {
		return nil, false, s.notFound(name)
	}
	if options == nil {
		options = metav1.NewDeleteOptions(0)
	}
	object := there.DeepCopy()
	if _, _, err := rest.BeforeDelete(s.strategy, ctx, object, options); err != nil {
		return nil, false, err
	}
	if validate != nil {
		if err := validate(ctx, object.DeepCopyObject()); err != nil {
			return nil, false, err
		}
	}
	object.SetFinalizers(finalizersFor(object.GetFinalizers(), options))
	dry := dryrun.IsDryRun(options.DryRun)
	if len(object.GetFinalizers()) == 0 {
		if !dry {
			store.remove(at)
		}
		return s.gone(object), true, nil
	}
	mark(object)
	if dry || object.GetDeletionTimestamp().Equal(there.GetDeletionTimestamp()) && slices.Equal(object.GetFinalizers(), there.GetFinalizers()) {
		return object, false, nil
	}
	return store.put(at, object).DeepCopy(), false, nil
}

// gone is the answer for an object that is gone.
func (s *storage) gone(object *unstructured.Unstructured) runtime.Object {
	return &metav1.Status{Status: metav1.StatusSuccess, Details: &metav1.StatusDetails{
		Name: object.GetName(), Group: s.resource.Group, Kind: s.resource.Resource, UID: object.GetUID(),
	}}
}

// mark marks an object as being deleted.
func mark(object *unstructured.Unstructured) {
	if object.GetDeletionTimestamp() == nil {
		now := metav1.NewTime(time.Now()).Rfc3339Copy()
		object.SetDeletionTimestamp(&now)
		if object.GetGeneration() > 0 {
			object.SetGeneration(object.GetGeneration() + 1)
		}
	}
	object.SetDeletionGracePeriodSeconds(new(int64))
}

// finalizersFor returns the finalizers of an object that is deleted with options:
// two of them ask something of the garbage collector.
func finalizersFor(have []string, options *metav1.DeleteOptions) []string {
	policy := metav1.DeletePropagationBackground
	switch {
	case options.OrphanDependents != nil && *options.OrphanDependents: //nolint:staticcheck // clients may still send it
		policy = metav1.DeletePropagationOrphan
	case options.OrphanDependents != nil: //nolint:staticcheck // clients may still send it
	case options.PropagationPolicy != nil:
		policy = *options.PropagationPolicy
	case slices.Contains(have, metav1.FinalizerOrphanDependents):
		policy = metav1.DeletePropagationOrphan
	case slices.Contains(have, metav1.FinalizerDeleteDependents):
		policy = metav1.DeletePropagationForeground
	}
	var want []string
	for _, name := range have {
		if name != metav1.FinalizerOrphanDependents && name != metav1.FinalizerDeleteDependents {
			want = append(want, name)
		}
	}
	switch policy {
	case metav1.DeletePropagationOrphan:
		want = append(want, metav1.FinalizerOrphanDependents)
	case metav1.DeletePropagationForeground:
		want = append(want, metav1.FinalizerDeleteDependents)
	}
	return want
}

// admits refuses a new object in a namespace that is being deleted. A namespace
// need not be made before it is used.
func (s *store) admits(object *unstructured.Unstructured, of *kind) error {
	if !of.namespaced {
		return nil
	}
	namespace, ok := s.objects[id{namespaceKind, keyOf("", object.GetNamespace())}]
	if !ok || namespace.GetDeletionTimestamp() == nil {
		return nil
	}
	err := apierrors.NewForbidden(of.resource.GroupResource(), object.GetName(), errTerminating(object.GetNamespace()))
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type: "NamespaceTerminating", Message: "namespace " + object.GetNamespace() + " is being terminated", Field: "metadata.namespace",
	}}
	return err
}
