package resources

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/reconcile"
)

// Marks on children.
const (
	// StepLabel is on every child, with the name of the pipeline and of the step
	// that made it, as in "myapp.Deployment". By it a step knows its own children
	// among those of the owner.
	StepLabel = "trueup.dev/step"

	// OwnerUIDLabel is on children that are tied to their owner without an owner
	// reference, with the owner's UID, and on those whose end the step sees to.
	// See [Child.Detached] and [Child.Finalizer].
	OwnerUIDLabel = "trueup.dev/owner-uid"

	// OwnerAnnotation is on the same children, with the namespace and name of the
	// owner, by which their events wake it.
	OwnerAnnotation = "trueup.dev/owner"
)

// ownerIndex finds children in the cache by the UID of their owner.
const ownerIndex = "trueup.dev/owner"

// ownerUID computes the values of ownerIndex.
func ownerUID(object client.Object) []string {
	owners := sharers(object)
	if owner := metav1.GetControllerOfNoCopy(object); owner != nil {
		return append(owners, string(owner.UID))
	}
	if uid := object.GetLabels()[OwnerUIDLabel]; uid != "" {
		return append(owners, uid)
	}
	return owners
}

// mark returns the value of StepLabel.
func (e *engine[T, C]) mark(run *reconcile.Run[T]) string { return run.Mark(e.step) }

// claim puts the owner and the mark of the step into the metadata of an apply,
// beside what the author put there.
func (e *engine[T, C]) claim(run *reconcile.Run[T], metadata map[string]any) error {
	if e.shared {
		e.claimShare(run, metadata)
		return nil
	}
	owner := run.Object()
	within(metadata, "labels")[StepLabel] = e.mark(run)
	if e.finalizer() != "" {
		within(metadata, "labels")[OwnerUIDLabel] = string(owner.GetUID())
		within(metadata, "annotations")[OwnerAnnotation] = client.ObjectKeyFromObject(owner).String()
	}
	if e.detached != "" {
		return nil
	}
	gvk, err := apiutil.GVKForObject(owner, run.Scheme())
	if err != nil {
		return reconcile.Terminal(fmt.Errorf("own %s: %w", e.step, err))
	}
	built, _ := metadata["ownerReferences"].([]any)
	references := make([]any, 0, len(built)+1)
	for _, reference := range built {
		fields, ok := reference.(map[string]any)
		switch {
		case ok && fields["uid"] == string(owner.GetUID()):
			continue // the one that is added below
		case ok && fields["controller"] == true:
			return reconcile.Terminal(fmt.Errorf(
				"build: metadata.ownerReferences has a controller; that is for %s %s to be", gvk.Kind, owner.GetName()))
		}
		references = append(references, reference)
	}
	metadata["ownerReferences"] = append(references, map[string]any{
		"apiVersion":         gvk.GroupVersion().String(),
		"kind":               gvk.Kind,
		"name":               owner.GetName(),
		"uid":                string(owner.GetUID()),
		"controller":         true,
		"blockOwnerDeletion": true,
	})
	return nil
}

// within returns a map in a map, made if it is missing.
func within(fields map[string]any, name string) map[string]any {
	inner, _ := fields[name].(map[string]any)
	if inner == nil {
		inner = map[string]any{}
		fields[name] = inner
	}
	return inner
}

// owns reports whether the child is the owner's.
func (e *engine[T, C]) owns(owner types.UID, child client.Object) bool {
	controller := metav1.GetControllerOfNoCopy(child)
	if e.detached != "" {
		return controller == nil && child.GetLabels()[OwnerUIDLabel] == string(owner)
	}
	return controller != nil && controller.UID == owner
}

// isOurs reports whether the child is the owner's and this step made it.
func (e *engine[T, C]) isOurs(run *reconcile.Run[T], child C) bool {
	if e.shared {
		return child.GetLabels()[e.shareKey(run)] != ""
	}
	return e.owns(run.Object().GetUID(), child) && e.isMarked(run, child)
}

// blocked says what keeps an existing object from being applied to: it is not
// this owner's, or it is being deleted.
func (e *engine[T, C]) blocked(ctx context.Context, run *reconcile.Run[T], live C) (reconcile.Result, bool, error) {
	ours := e.shared || e.owns(run.Object().GetUID(), live)
	if ours && live.GetDeletionTimestamp().IsZero() {
		return reconcile.Result{}, false, nil
	}
	name := e.named(live)
	// The watch on children tells their owner, which this object is not, or not yet.
	poll := pollInterval
	if e.shared && e.isOurs(run, live) || !e.shared && ours {
		poll = 0
	}
	switch {
	case !ours && !e.mayAdopt(run, live) && !e.isKept(run, live):
		return reconcile.Wait("NotControlled", name+" exists and "+ownerOf(live)+"; it is not taken over").Stalled().After(poll), true, nil
	case !live.GetDeletionTimestamp().IsZero():
		return reconcile.Wait("Deleting", name+" is being deleted; it is made again when it is gone").After(poll), true, nil
	}
	return e.ownerEnds(ctx, run, name+" is not taken over")
}

// ownerEnds looks past the cache whether the owner is gone or being deleted. An
// orphaning deletion takes the owner reference off the child, and a cache that has
// not seen the deletion must not make us put it back; nor must it make us create
// what the garbage collector knows nothing of for an owner that is gone.
func (e *engine[T, C]) ownerEnds(ctx context.Context, run *reconcile.Run[T], consequence string) (reconcile.Result, bool, error) {
	owner := run.Object().DeepCopyObject().(T)
	err := run.Home().Live().Get(ctx, client.ObjectKeyFromObject(owner), owner)
	gone := apierrors.IsNotFound(err)
	switch {
	case err != nil && !gone:
		return reconcile.Result{}, false, fmt.Errorf("read the owner: %w", err)
	case gone || owner.GetUID() != run.Object().GetUID() || !owner.GetDeletionTimestamp().IsZero():
		return reconcile.Wait("OwnerDeleted", consequence+", because its owner is being deleted").After(pollInterval), true, nil
	}
	return reconcile.Result{}, false, nil
}

// mayAdopt reports whether an object that is not the owner's may be made so:
// never one that is somebody else's.
func (e *engine[T, C]) mayAdopt(run *reconcile.Run[T], live C) bool {
	if e.detached == "" && madeToShare(run.Object().GetUID(), live) {
		return true
	}
	return e.adopt && metav1.GetControllerOfNoCopy(live) == nil && live.GetLabels()[OwnerUIDLabel] == ""
}

// ownerOf says whose an object is.
func ownerOf(object client.Object) string {
	if owner := metav1.GetControllerOfNoCopy(object); owner != nil {
		return fmt.Sprintf("is controlled by %s %s", owner.Kind, owner.Name)
	}
	if owner := object.GetAnnotations()[OwnerAnnotation]; owner != "" {
		return "belongs to " + owner
	}
	return "has no controller"
}
