package status

import (
	"cmp"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/reconcile"
)

// keeper works on the conditions of one object in one pass.
type keeper struct {
	plan       *plan
	list       *[]metav1.Condition
	before     []metav1.Condition // as they were when the pass began: read only
	generation int64
	now        metav1.Time
}

// sumUp keeps the conditions of the steps and of the object.
func (k *keeper) sumUp(reports []reconcile.Report) {
	k.retire()
	k.reserve(k.plan.ready) // first in the list, for whoever reads it
	verdicts := make([]verdict, 0, len(reports)+len(k.plan.included))
	for i := range reports {
		report := &reports[i]
		seen, speaks := k.judge(report)
		if !speaks {
			continue
		}
		if report.Condition != "" {
			k.set(report.Condition, seen)
		}
		verdicts = append(verdicts, seen)
	}
	for _, own := range k.plan.included {
		verdicts = append(verdicts, k.judgeOwn(own))
	}
	k.conclude(summary(verdicts))
}

// sumUpDeletion keeps the conditions of an object that is being deleted.
func (k *keeper) sumUpDeletion(reports []reconcile.Report) {
	k.retire()
	var verdicts []verdict
	for i := range reports {
		report := &reports[i]
		if report.State == reconcile.StateUnseen || report.State == reconcile.StateReady {
			continue
		}
		seen, _ := k.judge(report)
		seen.status = metav1.ConditionFalse
		if report.Condition != "" {
			k.set(report.Condition, seen)
		}
		verdicts = append(verdicts, seen)
	}
	k.conclude(deletion(verdicts))
}

// conclude keeps the conditions that sum up.
func (k *keeper) conclude(sum verdict) {
	k.set(k.plan.ready, sum)
	if !k.plan.partial() {
		k.progress(sum)
	}
}

// progress keeps the two conditions by which tools that follow kstatus tell an
// object that is on its way from one that is stuck. Each is there only while it
// is true.
func (k *keeper) progress(sum verdict) {
	for _, condition := range []struct {
		name  string
		holds bool
	}{
		{ReconcilingCondition, sum.status != metav1.ConditionTrue && sum.severity < severityStalled && sum.severity != severityHalted},
		{StalledCondition, sum.severity >= severityStalled},
	} {
		if !condition.holds {
			k.remove(condition.name)
			continue
		}
		sum.status = metav1.ConditionTrue
		k.set(condition.name, sum)
	}
}

// retire removes what is no longer kept.
func (k *keeper) retire() {
	for _, name := range k.plan.retired {
		k.remove(name)
	}
}

// remove removes a condition if it is there. The helper of apimachinery makes a new
// list either way, which a quiet pass has no use for.
func (k *keeper) remove(conditionType string) {
	if meta.FindStatusCondition(*k.list, conditionType) != nil {
		meta.RemoveStatusCondition(k.list, conditionType)
	}
}

// reserve makes sure that the condition has a place in the list.
func (k *keeper) reserve(conditionType string) {
	if meta.FindStatusCondition(*k.list, conditionType) == nil {
		k.set(conditionType, verdict{status: metav1.ConditionUnknown, reason: reasonPending})
	}
}

// set sets a condition at this generation.
func (k *keeper) set(conditionType string, seen verdict) {
	meta.SetStatusCondition(k.list, metav1.Condition{
		Type:               conditionType,
		Status:             seen.status,
		ObservedGeneration: k.generation,
		LastTransitionTime: k.now,
		Reason:             cmp.Or(reconcile.ReasonWord(seen.reason), "Unspecified"),
		Message:            clip(seen.message),
	})
}

// settleTransitions gives every condition whose status ends the pass as it
// began it the time of its real last transition back: it may have changed to
// and fro in between.
func (k *keeper) settleTransitions() {
	for i := range *k.list {
		condition := &(*k.list)[i]
		was := meta.FindStatusCondition(k.before, condition.Type)
		if was != nil && was.Status == condition.Status && !was.LastTransitionTime.IsZero() {
			condition.LastTransitionTime = was.LastTransitionTime
		}
	}
}
