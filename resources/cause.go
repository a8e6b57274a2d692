package resources

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// causeOf says why a child is applied.
func (e *engine[T, C]) causeOf(
	run *reconcile.Run[T], slot *slot[C], want *intent[C], live *observation[C],
) reconcile.Cause {
	switch {
	case live == nil:
		return reconcile.CauseCreated
	case slot.record != nil && slot.record.hash != want.hash:
		return reconcile.CauseChanged
	case slot.record != nil:
		return reconcile.CauseDrift
	case !e.shared && !e.owns(run.Object().GetUID(), live.shared):
		return reconcile.CauseAdopted
	}
	return reconcile.CauseColdStart
}

// causeOfEnd says why a child is deleted, or left behind.
func causeOfEnd[T client.Object](run *reconcile.Run[T]) reconcile.Cause {
	if run.Deleting() {
		return reconcile.CauseDeleting
	}
	return reconcile.CauseUnwanted
}

// skipped counts a child for which nothing is sent: what is remembered of it, and
// the version that this is about, as they were before it was looked at.
func skipped[T, C client.Object](run *reconcile.Run[T], before *record[C], version string, live C) {
	switch {
	case before == nil:
		run.Skipped(reconcile.SkipRecognised)
	case version == live.GetResourceVersion():
		run.Skipped(reconcile.SkipSameVersion)
	default:
		run.Skipped(reconcile.SkipOthersChanged)
	}
}
