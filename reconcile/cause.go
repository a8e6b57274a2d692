package reconcile

import "sigs.k8s.io/controller-runtime/pkg/client"

// A Cause says why a step writes. It is an option of the request, which it leaves
// as it is:
//
//	run.Client().Patch(ctx, object, patch, reconcile.CauseDrift)
//
// It is told in the log at V(1), in spans, and in the metrics, where any that is
// not one of these constants is "other", so that there are never many.
type Cause string

const (
	// CauseCreated is that there was no such object.
	CauseCreated Cause = "created"
	// CauseChanged is that something else is wanted than was applied before.
	CauseChanged Cause = "changed"
	// CauseDrift is that somebody has changed what was applied.
	CauseDrift Cause = "drift"
	// CauseColdStart is that this process knows nothing of the object yet, and it
	// is not recognised as what is wanted.
	CauseColdStart Cause = "cold_start"
	// CauseAdopted is that an object of somebody else is taken over.
	CauseAdopted Cause = "adopted"
	// CauseFormerManager is that a former field manager's fields are taken over.
	CauseFormerManager Cause = "former_manager"
	// CauseRecreated is that the object cannot be changed in place: it is deleted,
	// to be made again.
	CauseRecreated Cause = "recreated"
	// CauseUnwanted is that the object is not wanted any more.
	CauseUnwanted Cause = "unwanted"
	// CauseDeleting is that the owner is being deleted.
	CauseDeleting Cause = "deleting"
	// CauseFinalizers is that finalizers, with their annotations, come or go.
	CauseFinalizers Cause = "finalizers"
	// CauseAnnotations is that a step keeps something in annotations of the owner.
	CauseAnnotations Cause = "annotations"
	// CauseStatus is that the status has changed.
	CauseStatus Cause = "status"
	// CauseUnspecified is what a request has that comes without a cause.
	CauseUnspecified Cause = "unspecified"
)

// label returns what stands for the cause in metrics.
func (c Cause) label() string {
	switch c {
	case CauseCreated, CauseChanged, CauseDrift, CauseColdStart, CauseAdopted, CauseFormerManager, CauseRecreated,
		CauseUnwanted, CauseDeleting, CauseFinalizers, CauseAnnotations, CauseStatus, CauseUnspecified:
		return string(c)
	}
	return otherLabel
}

// ApplyToCreate implements [client.CreateOption].
func (c Cause) ApplyToCreate(*client.CreateOptions) {}

// ApplyToUpdate implements [client.UpdateOption].
func (c Cause) ApplyToUpdate(*client.UpdateOptions) {}

// ApplyToPatch implements [client.PatchOption].
func (c Cause) ApplyToPatch(*client.PatchOptions) {}

// ApplyToApply implements [client.ApplyOption].
func (c Cause) ApplyToApply(*client.ApplyOptions) {}

// ApplyToDelete implements [client.DeleteOption].
func (c Cause) ApplyToDelete(*client.DeleteOptions) {}

// ApplyToDeleteAllOf implements [client.DeleteAllOfOption].
func (c Cause) ApplyToDeleteAllOf(*client.DeleteAllOfOptions) {}

// ApplyToSubResourceCreate implements [client.SubResourceCreateOption].
func (c Cause) ApplyToSubResourceCreate(*client.SubResourceCreateOptions) {}

// ApplyToSubResourceUpdate implements [client.SubResourceUpdateOption].
func (c Cause) ApplyToSubResourceUpdate(*client.SubResourceUpdateOptions) {}

// ApplyToSubResourcePatch implements [client.SubResourcePatchOption].
func (c Cause) ApplyToSubResourcePatch(*client.SubResourcePatchOptions) {}

// ApplyToSubResourceApply implements [client.SubResourceApplyOption].
func (c Cause) ApplyToSubResourceApply(*client.SubResourceApplyOptions) {}

// causeAmong returns the cause among the options of a request, and whether the
// request is a dry run.
func causeAmong[O any](options []O) (cause Cause, dryRun bool) {
	cause = CauseUnspecified
	for _, option := range options {
		switch option := any(option).(type) {
		case Cause:
			cause = option
		default:
			dryRun = dryRun || isDryRun(option)
		}
	}
	return cause, dryRun
}

// isDryRun reports whether an option makes a request a dry run.
func isDryRun(option any) bool {
	switch option := option.(type) {
	case *client.CreateOptions:
		return len(option.DryRun) > 0
	case *client.UpdateOptions:
		return len(option.DryRun) > 0
	case *client.PatchOptions:
		return len(option.DryRun) > 0
	case *client.ApplyOptions:
		return len(option.DryRun) > 0
	case *client.DeleteOptions:
		return len(option.DryRun) > 0
	case *client.DeleteAllOfOptions:
		return len(option.DryRun) > 0
	}
	return option == any(client.DryRunAll)
}
