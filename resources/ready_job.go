package resources

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// jobReadiness waits for a Job to be complete: for kstatus a Job that has
// started is as good.
func jobReadiness(job *batchv1.Job) Readiness {
	for _, final := range []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed, batchv1.JobFailureTarget} {
		for i := range job.Status.Conditions {
			condition := &job.Status.Conditions[i]
			switch {
			case condition.Type != final || condition.Status != corev1.ConditionTrue:
			case final == batchv1.JobComplete:
				return ready
			default:
				return failed(or(condition.Reason, "JobFailed"), "it has failed%s", because(condition.Message))
			}
		}
	}
	if ptr.Deref(job.Spec.Suspend, false) {
		return notReady("Suspended", "it is suspended")
	}
	return notReady("Running", "it is not complete yet")
}
