package resources

import appsv1 "k8s.io/api/apps/v1"

// daemonSetReadiness counts nodes. It tells no number, because that of the nodes
// changes by itself.
func daemonSetReadiness(set *appsv1.DaemonSet) Readiness {
	status := &set.Status
	wanted := status.DesiredNumberScheduled
	switch {
	case status.ObservedGeneration < set.Generation:
		return unseen
	case status.CurrentNumberScheduled < wanted:
		return notReady("LessReplicas", "some nodes have no pod")
	case status.UpdatedNumberScheduled < wanted && set.Spec.UpdateStrategy.Type != appsv1.OnDeleteDaemonSetStrategyType:
		return notReady("LessUpdated", "some nodes have a pod that is not up to date")
	case status.NumberAvailable < wanted:
		return notReady("LessAvailable", "some nodes have a pod that is not available")
	}
	return ready
}
