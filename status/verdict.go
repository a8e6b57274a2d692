package status

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/reconcile"
)

// verdict is what is to be said of one step, or of one of the author's conditions.
type verdict struct {
	about           string // the name of the step, or the type of the condition
	status          metav1.ConditionStatus
	severity        int
	reason, message string
}

// How bad what is to be said is.
const (
	severityReady = iota
	severityUnseen
	severityHalted
	severityWaiting
	severityFailed
	severityStalled
)

// Reasons for conditions whose step has none.
const (
	reasonReady    = "Ready"
	reasonPending  = "Pending"
	reasonDeleting = "Deleting"
)

// notReached is the message of a step that is not known at this generation.
const notReached = "not reached yet"

// judge says what is to be said of a step, and false if nothing is.
func (k *keeper) judge(report *reconcile.Report) (verdict, bool) {
	seen := verdict{about: report.Step, reason: report.Reason, message: report.Message}
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
			about: report.Step, status: metav1.ConditionUnknown, severity: severityUnseen,
			reason: reasonPending, message: notReached,
		}, true
	}
	return said(report.Step, was, was.Status), true
}

// judgeOwn says what is to be said of one of the author's conditions.
func (k *keeper) judgeOwn(own included) verdict {
	was := meta.FindStatusCondition(*k.list, own.name)
	unknown := verdict{
		about: own.name, status: metav1.ConditionUnknown, severity: severityUnseen,
		reason: reasonPending, message: "not set yet",
	}
	switch {
	case was == nil && own.negative:
		return verdict{about: own.name, status: metav1.ConditionTrue}
	case was == nil:
		return unknown
	case was.ObservedGeneration != 0 && was.ObservedGeneration != k.generation:
		unknown.message = "not known of the present generation yet"
		return unknown
	case own.negative:
		return said(own.name, was, negated(was.Status))
	}
	return said(own.name, was, was.Status)
}

// negated returns what the status of a condition that is bad when it is True says
// of the object.
func negated(status metav1.ConditionStatus) metav1.ConditionStatus {
	switch status {
	case metav1.ConditionTrue:
		return metav1.ConditionFalse
	case metav1.ConditionFalse:
		return metav1.ConditionTrue
	}
	return status
}

// said is the verdict that a condition already holds, good if status is True.
func said(about string, was *metav1.Condition, status metav1.ConditionStatus) verdict {
	seen := verdict{about: about, status: status, reason: was.Reason, message: was.Message}
	switch status {
	case metav1.ConditionTrue:
	case metav1.ConditionFalse:
		seen.severity = severityWaiting
	default:
		seen.status, seen.severity = metav1.ConditionUnknown, severityUnseen
	}
	return seen
}
