package resources

import corev1 "k8s.io/api/core/v1"

// claimReadiness waits until a claim has a volume of the size that it asks for.
func claimReadiness(claim *corev1.PersistentVolumeClaim) Readiness {
	switch claim.Status.Phase {
	case corev1.ClaimBound:
	case corev1.ClaimLost:
		return failed("Lost", "its volume does not exist any more")
	default:
		return notReady("NotBound", "it has no volume yet; with volumeBindingMode WaitForFirstConsumer it gets one when a pod uses it")
	}
	wanted, ok := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	if !ok {
		return ready
	}
	has, known := claim.Status.Capacity[corev1.ResourceStorage]
	if !known || has.Cmp(wanted) >= 0 {
		return ready
	}
	switch claim.Status.AllocatedResourceStatuses[corev1.ResourceStorage] {
	case corev1.PersistentVolumeClaimControllerResizeInfeasible, corev1.PersistentVolumeClaimNodeResizeInfeasible:
		return failed("ResizeInfeasible", "its volume cannot grow to %s", wanted.String())
	}
	return notReady("Resizing", "its volume has yet to grow to %s", wanted.String())
}
