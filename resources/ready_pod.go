package resources

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// podReadiness goes by the phase, the condition Ready and, where that says
// nothing good, by what keeps a container from running.
func podReadiness(pod *corev1.Pod) Readiness {
	status := &pod.Status
	if status.ObservedGeneration != 0 && status.ObservedGeneration < pod.Generation {
		return unseen // only newer kubelets say it
	}
	switch status.Phase {
	case corev1.PodSucceeded:
		return ready
	case corev1.PodFailed:
		return failed(or(status.Reason, "PodFailed"), "it has failed")
	}
	for i := range status.Conditions {
		condition := &status.Conditions[i]
		switch {
		case condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue:
			return ready
		case condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse:
			return notReady(or(condition.Reason, "NotScheduled"), "it has no node to run on")
		}
	}
	statuses := slices.Concat(status.InitContainerStatuses, status.ContainerStatuses)
	for i := range statuses {
		if verdict, stuck := containerReadiness(&statuses[i]); stuck {
			return verdict
		}
	}
	if status.Phase == corev1.PodRunning {
		return notReady("NotReady", "it is running, but not ready")
	}
	return notReady("Pending", "it is not running yet")
}

// containerReadiness says what keeps a container waiting, if it is more than a
// matter of time.
func containerReadiness(status *corev1.ContainerStatus) (verdict Readiness, stuck bool) {
	if status.State.Waiting == nil {
		return Readiness{}, false
	}
	switch reason := status.State.Waiting.Reason; reason {
	case "CrashLoopBackOff":
		return failed(reason, "container %s keeps crashing", status.Name), true
	case "ErrImagePull", "ImagePullBackOff": // these two alternate
		return notReady("ImagePullBackOff", "the image of container %s cannot be pulled", status.Name), true
	case "InvalidImageName":
		return failed(reason, "the image of container %s has no valid name", status.Name), true
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
		return notReady(reason, "container %s cannot be started", status.Name), true
	}
	return Readiness{}, false
}
