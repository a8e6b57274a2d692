package resources

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

func TestPodReadiness(t *testing.T) {
	with := func(status corev1.PodStatus) *corev1.Pod { return &corev1.Pod{Status: status} }
	waiting := func(reason string) []corev1.ContainerStatus {
		return []corev1.ContainerStatus{
			{Name: "fine", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}},
			{Name: "app", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}},
		}
	}
	condition := func(kind corev1.PodConditionType, status corev1.ConditionStatus, reason string) []corev1.PodCondition {
		return []corev1.PodCondition{{Type: kind, Status: status, Reason: reason}}
	}
	resized := with(corev1.PodStatus{ObservedGeneration: 1, Phase: corev1.PodRunning, Conditions: condition(corev1.PodReady, "True", "")})
	resized.Generation = 2
	judge(t, "v1", "Pod", map[string]judgement{
		"new":       {reason: "nobody has looked", object: with(corev1.PodStatus{}), want: "Pending"},
		"pending":   {reason: "it takes its time", object: with(corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: waiting("ContainerCreating")}), want: "Pending"},
		"no node":   {reason: "none has room", object: with(corev1.PodStatus{Phase: corev1.PodPending, Conditions: condition(corev1.PodScheduled, "False", "Unschedulable")}), want: "Unschedulable"},
		"gated":     {reason: "somebody holds it back", object: with(corev1.PodStatus{Phase: corev1.PodPending, Conditions: condition(corev1.PodScheduled, "False", "SchedulingGated")}), want: "SchedulingGated"},
		"unready":   {reason: "its probe fails", object: with(corev1.PodStatus{Phase: corev1.PodRunning, Conditions: condition(corev1.PodReady, "False", "ContainersNotReady")}), want: "NotReady"},
		"ready":     {reason: "it serves", object: with(corev1.PodStatus{Phase: corev1.PodRunning, Conditions: condition(corev1.PodReady, "True", "")}), want: "ready"},
		"resized":   {reason: "its kubelet has not seen the new size", object: resized, want: "LatestGenerationNotObserved"},
		"succeeded": {reason: "it has done its work", object: with(corev1.PodStatus{Phase: corev1.PodSucceeded}), want: "ready"},
		"failed":    {reason: "it will not run again", object: with(corev1.PodStatus{Phase: corev1.PodFailed}), want: "PodFailed!"},
		"evicted":   {reason: "it will not run again", object: with(corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted"}), want: "Evicted!"},
		"crashing":  {reason: "it does not get better by itself", object: with(corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: waiting("CrashLoopBackOff")}), want: "CrashLoopBackOff!"},
		"crashing at the start": {
			reason: "an init container keeps the others from starting",
			object: with(corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: waiting("CrashLoopBackOff")}), want: "CrashLoopBackOff!",
		},
		"no image": {
			reason: "the two reasons alternate, which is not news",
			object: with(corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: waiting("ErrImagePull")}), want: "ImagePullBackOff",
		},
		"no such image": {
			reason: "no registry can have it",
			object: with(corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: waiting("InvalidImageName")}), want: "InvalidImageName!",
		},
		"no secret": {
			reason: "it starts as soon as there is one",
			object: with(corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: waiting("CreateContainerConfigError")}), want: "CreateContainerConfigError",
		},
	})
}

func TestJobReadiness(t *testing.T) {
	with := func(suspend *bool, conditions ...batchv1.JobCondition) *batchv1.Job {
		return &batchv1.Job{Spec: batchv1.JobSpec{Suspend: suspend}, Status: batchv1.JobStatus{Conditions: conditions}}
	}
	is := func(kind batchv1.JobConditionType, status corev1.ConditionStatus, reason string) batchv1.JobCondition {
		return batchv1.JobCondition{Type: kind, Status: status, Reason: reason, Message: "Job has reached the specified backoff limit"}
	}
	judge(t, "batch/v1", "Job", map[string]judgement{
		"new":         {reason: "nobody has looked", object: with(nil), want: "Running"},
		"suspended":   {reason: "somebody holds it back", object: with(new(true), is(batchv1.JobSuspended, "True", "JobSuspended")), want: "Suspended"},
		"resumed":     {reason: "it runs again", object: with(new(false), is(batchv1.JobSuspended, "False", "JobResumed")), want: "Running"},
		"almost done": {reason: "its pods have yet to end", object: with(nil, is(batchv1.JobSuccessCriteriaMet, "True", "CompletionsReached")), want: "Running"},
		"complete":    {reason: "it has done its work", object: with(nil, is(batchv1.JobSuccessCriteriaMet, "True", ""), is(batchv1.JobComplete, "True", "")), want: "ready"},
		"failing":     {reason: "its pods have yet to end, but it is decided", object: with(nil, is(batchv1.JobFailureTarget, "True", "BackoffLimitExceeded")), want: "BackoffLimitExceeded!"},
		"failed":      {reason: "it will not run again", object: with(nil, is(batchv1.JobFailureTarget, "True", "x"), is(batchv1.JobFailed, "True", "DeadlineExceeded")), want: "DeadlineExceeded!"},
		"not failed":  {reason: "the condition says no", object: with(nil, is(batchv1.JobFailed, "False", "")), want: "Running"},
	})
	judge(t, "batch/v1", "CronJob", map[string]judgement{
		"new":       {reason: "it has nothing to do until its time comes", object: &batchv1.CronJob{}, want: "ready"},
		"suspended": {reason: "that is what is wanted of it", object: &batchv1.CronJob{Spec: batchv1.CronJobSpec{Suspend: new(true)}}, want: "ready"},
	})
}
