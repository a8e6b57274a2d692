package resources

import appsv1 "k8s.io/api/apps/v1"

// statefulSetReadiness counts pods: those of the latest version from the
// partition up, of any version with OnDelete.
func statefulSetReadiness(set *appsv1.StatefulSet) Readiness {
	status := &set.Status
	if status.ObservedGeneration < set.Generation {
		return unseen
	}
	wanted := or1(set.Spec.Replicas)
	available := status.ReadyReplicas
	if set.Spec.MinReadySeconds > 0 {
		available = status.AvailableReplicas
	}
	// What is below the partition, or with OnDelete, is of the version that
	// somebody else wants it to be.
	toUpdate := wanted
	switch strategy := set.Spec.UpdateStrategy; {
	case strategy.Type == appsv1.OnDeleteStatefulSetStrategyType:
		toUpdate = 0
	case strategy.RollingUpdate != nil && strategy.RollingUpdate.Partition != nil:
		toUpdate = max(0, wanted-*strategy.RollingUpdate.Partition)
	}
	if status.Replicas >= wanted && status.UpdatedReplicas < toUpdate {
		return notReady("LessUpdated", "not all pods are up to date (want %d)", toUpdate)
	}
	return counted(wanted, status.Replicas, max(status.UpdatedReplicas, wanted), available)
}
