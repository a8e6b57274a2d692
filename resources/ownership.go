package resources

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/reconcile"
)

// StepLabel is on every child, with the name of the pipeline and of the step
// that made it, as in "myapp.Deployment". By it a step knows its own children
// among those of the owner.
const StepLabel = "trueup.dev/step"

// ownerIndex finds children in the cache by the UID of their controller.
const ownerIndex = "trueup.dev/owner"

// ownerUID computes the values of ownerIndex.
func ownerUID(object client.Object) []string {
	if owner := metav1.GetControllerOfNoCopy(object); owner != nil {
		return []string{string(owner.UID)}
	}
	return nil
}

// mark returns the value of StepLabel.
func (e *engine[T, C]) mark(run *reconcile.Run[T]) string { return run.Pipeline() + "." + e.step }

// claim puts the owner and the mark of the step into the metadata of an apply,
// beside what the author put there.
func (e *engine[T, C]) claim(run *reconcile.Run[T], metadata map[string]any) error {
	owner := run.Object()
	gvk, err := apiutil.GVKForObject(owner, run.Scheme())
	if err != nil {
		return reconcile.Terminal(fmt.Errorf("own %s: %w", e.step, err))
	}
	references, _ := metadata["ownerReferences"].([]any)
	for _, reference := range references {
		if fields, ok := reference.(map[string]any); ok && fields["controller"] == true {
			return reconcile.Terminal(fmt.Errorf(
				"build %s: metadata.ownerReferences has a controller; that is for %s %s to be", e.step, gvk.Kind, owner.GetName()))
		}
	}
	metadata["ownerReferences"] = append(references, map[string]any{
		"apiVersion":         gvk.GroupVersion().String(),
		"kind":               gvk.Kind,
		"name":               owner.GetName(),
		"uid":                string(owner.GetUID()),
		"controller":         true,
		"blockOwnerDeletion": true,
	})
	labels, _ := metadata["labels"].(map[string]any)
	if labels == nil {
		labels = map[string]any{}
		metadata["labels"] = labels
	}
	labels[StepLabel] = e.mark(run)
	return nil
}

// controls reports whether owner is the controller of the child.
func controls(owner types.UID, child client.Object) bool {
	controller := metav1.GetControllerOfNoCopy(child)
	return controller != nil && controller.UID == owner
}

// blocked says what keeps an existing object from being applied to: it is not
// this owner's, or it is being deleted.
func (e *engine[T, C]) blocked(run *reconcile.Run[T], live C) (reconcile.Result, bool) {
	name := fmt.Sprintf("%s %s", e.kindName(), client.ObjectKeyFromObject(live))
	if !controls(run.Object().GetUID(), live) {
		message := name + " exists and has no controller; it is not taken over"
		if owner := metav1.GetControllerOfNoCopy(live); owner != nil {
			message = fmt.Sprintf("%s exists and is controlled by %s %s; it is not taken over", name, owner.Kind, owner.Name)
		}
		// The watch on children tells their owner, which this object is not.
		return reconcile.Wait("NotControlled", message).After(pollInterval), true
	}
	if !live.GetDeletionTimestamp().IsZero() {
		return reconcile.Wait("Deleting", name+" is being deleted; it is made again when it is gone"), true
	}
	return reconcile.Result{}, false
}
