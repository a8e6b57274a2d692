package resources

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// deploymentReadiness goes by what "kubectl rollout status" does. Conditions
// beside those of failure follow from the counts.
func deploymentReadiness(deployment *appsv1.Deployment) Readiness {
	status := &deployment.Status
	if status.ObservedGeneration < deployment.Generation {
		return unseen
	}
	failure := ""
	for i := range status.Conditions {
		condition := &status.Conditions[i]
		switch {
		case condition.Type == appsv1.DeploymentProgressing && condition.Reason == "ProgressDeadlineExceeded":
			return failed(condition.Reason, "it has made no progress within its deadline%s", because(condition.Message))
		case condition.Type == appsv1.DeploymentReplicaFailure && condition.Status == corev1.ConditionTrue:
			failure = condition.Reason
		}
	}
	wanted := or1(deployment.Spec.Replicas)
	switch {
	case status.UpdatedReplicas < wanted && deployment.Spec.Paused:
		return notReady("Paused", "it is paused with pods that are not up to date")
	case status.UpdatedReplicas < wanted && failure != "":
		return notReady(failure, "its pods are refused: see its condition ReplicaFailure")
	}
	return counted(wanted, status.Replicas, status.UpdatedReplicas, status.AvailableReplicas)
}

// replicaSetReadiness is that of a Deployment that has one version of pods.
func replicaSetReadiness(set *appsv1.ReplicaSet) Readiness {
	status := &set.Status
	if status.ObservedGeneration < set.Generation {
		return unseen
	}
	for i := range status.Conditions {
		condition := &status.Conditions[i]
		if condition.Type == appsv1.ReplicaSetReplicaFailure && condition.Status == corev1.ConditionTrue {
			return notReady(condition.Reason, "its pods are refused: see its condition ReplicaFailure")
		}
	}
	return counted(or1(set.Spec.Replicas), status.Replicas, status.Replicas, status.AvailableReplicas)
}

// counted compares numbers of pods with how many there should be. It tells only
// that one: the others change all the time during a rollout.
func counted(wanted, exist, updated, available int32) Readiness {
	switch {
	case exist < wanted:
		return notReady("LessReplicas", "not all pods exist (want %d)", wanted)
	case updated < wanted:
		return notReady("LessUpdated", "not all pods are up to date (want %d)", wanted)
	case exist > wanted:
		return notReady("ExtraPods", "more pods exist than should (want %d)", wanted)
	case available < wanted:
		return notReady("LessAvailable", "not all pods are available (want %d)", wanted)
	}
	return ready
}

// or1 returns a number of replicas, which the server sets to 1 if it is not set.
func or1(replicas *int32) int32 {
	if replicas == nil {
		return 1
	}
	return *replicas
}
