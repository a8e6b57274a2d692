package status

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/reconcile"
)

// keeper works on the conditions of one object in one pass.
type keeper struct {
	list       *[]metav1.Condition
	before     []metav1.Condition // as they were when the pass began: read only
	generation int64
	now        metav1.Time
}

// verdict is what is to be said of one step.
type verdict struct {
	step            string
	status          metav1.ConditionStatus
	severity        int
	reason, message string
}

// Reasons for conditions whose step has none.
const (
	reasonReady    = "Ready"
	reasonPending  = "Pending"
	reasonDeleting = "Deleting"
)

// sumUp keeps the conditions of the steps and of the object.
func (k *keeper) sumUp(reports []reconcile.Report) {
	k.reserve(ReadyCondition) // first in the list, for whoever reads it
	verdicts := make([]verdict, 0, len(reports))
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
	sum := summary(verdicts)
	k.set(ReadyCondition, sum)
	k.progress(sum)
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
			meta.RemoveStatusCondition(k.list, condition.name)
			continue
		}
		sum.status = metav1.ConditionTrue
		k.set(condition.name, sum)
	}
}

// How bad what is to be said of a step is.
const (
	severityReady = iota
	severityUnseen
	severityHalted
	severityWaiting
	severityFailed
	severityStalled
)

// reserve makes sure that the condition has a place in the list.
func (k *keeper) reserve(conditionType string) {
	if meta.FindStatusCondition(*k.list, conditionType) == nil {
		k.set(conditionType, verdict{status: metav1.ConditionUnknown, reason: reasonPending})
	}
}

// judge says what is to be said of a step, and false if nothing is.
func (k *keeper) judge(report *reconcile.Report) (verdict, bool) {
	seen := verdict{step: report.Step, reason: report.Reason, message: report.Message}
	switch report.State {
	case reconcile.StateReady:
		seen.status, seen.reason = metav1.ConditionTrue, reasonReady
	case reconcile.StateHalted:
		seen.status, seen.severity = metav1.ConditionUnknown, severityHalted
	case reconcile.StateWaiting:
		seen.status, seen.severity = metav1.ConditionFalse, severityWaiting
	case reconcile.StateFailed:
		seen.status, seen.severity = metav1.ConditionFalse, severityFailed
	case reconcile.StateStalled:
		seen.status, seen.severity = metav1.ConditionFalse, severityStalled
	default:
		return k.judgeUnseen(report)
	}
	return seen, true
}

// judgeUnseen says what is to be said of a step that the pass did not reach:
// what was said before, if that was about this generation.
func (k *keeper) judgeUnseen(report *reconcile.Report) (verdict, bool) {
	if report.Condition == "" {
		return verdict{}, false
	}
	was := meta.FindStatusCondition(*k.list, report.Condition)
	if was == nil || was.ObservedGeneration != k.generation {
		return verdict{
			step: report.Step, status: metav1.ConditionUnknown, severity: severityUnseen,
			reason: reasonPending, message: "not reached yet",
		}, true
	}
	seen := verdict{step: report.Step, status: was.Status, reason: was.Reason, message: was.Message}
	switch was.Status {
	case metav1.ConditionFalse:
		seen.severity = severityWaiting
	case metav1.ConditionUnknown:
		seen.severity = severityUnseen
	}
	return seen, true
}

// summary sums verdicts up.
func summary(verdicts []verdict) verdict {
	sum := verdict{status: metav1.ConditionTrue, reason: reasonReady, message: "every step is ready"}
	var messages []string
	for _, seen := range verdicts {
		if seen.status == metav1.ConditionTrue {
			continue
		}
		messages = append(messages, seen.step+": "+seen.message)
		if seen.status == metav1.ConditionFalse || sum.status == metav1.ConditionTrue {
			sum.status = seen.status
		}
		if seen.severity > sum.severity {
			sum.severity, sum.reason = seen.severity, seen.reason
		}
	}
	if len(messages) > 0 {
		sum.message = strings.Join(messages, "; ")
	}
	return sum
}

// sumUpDeletion keeps the conditions of an object that is being deleted.
func (k *keeper) sumUpDeletion(reports []reconcile.Report) {
	sum := verdict{status: metav1.ConditionFalse, reason: reasonDeleting}
	var messages []string
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
		messages = append(messages, seen.step+": "+seen.message)
		if seen.severity >= severityFailed && seen.severity > sum.severity {
			sum.severity, sum.reason = seen.severity, seen.reason
		}
	}
	sum.message = "deletion waits for " + strings.Join(messages, "; ")
	k.set(ReadyCondition, sum)
	k.progress(sum)
}

// set sets a condition at this generation.
func (k *keeper) set(conditionType string, seen verdict) {
	meta.SetStatusCondition(k.list, metav1.Condition{
		Type:               conditionType,
		Status:             seen.status,
		ObservedGeneration: k.generation,
		LastTransitionTime: k.now,
		Reason:             validReason(seen.reason),
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
