package resources

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestStatefulSetReadiness(t *testing.T) {
	with := func(strategy appsv1.StatefulSetUpdateStrategy, status appsv1.StatefulSetStatus) *appsv1.StatefulSet {
		return &appsv1.StatefulSet{
			ObjectMeta: metav1.ObjectMeta{Generation: 2},
			Spec:       appsv1.StatefulSetSpec{Replicas: new(int32(3)), UpdateStrategy: strategy},
			Status:     status,
		}
	}
	rolling := appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType}
	partition := func(from int32) appsv1.StatefulSetUpdateStrategy {
		return appsv1.StatefulSetUpdateStrategy{RollingUpdate: &appsv1.RollingUpdateStatefulSetStrategy{Partition: &from}}
	}
	onDelete := appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}
	slow := with(rolling, appsv1.StatefulSetStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: 3, AvailableReplicas: 2})
	slow.Spec.MinReadySeconds = 10

	judge(t, "apps/v1", "StatefulSet", map[string]judgement{
		"new": {
			reason: "nobody has looked", object: with(rolling, appsv1.StatefulSetStatus{}), want: "LatestGenerationNotObserved",
		},
		"new with OnDelete": {
			reason: "kstatus would call it current, without a single pod",
			object: with(onDelete, appsv1.StatefulSetStatus{}), want: "LatestGenerationNotObserved",
		},
		"old generation": {
			reason: "the status is about the previous version",
			object: with(rolling, appsv1.StatefulSetStatus{ObservedGeneration: 1, Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: 3}),
			want:   "LatestGenerationNotObserved",
		},
		"coming up": {
			reason: "pods are made one after the other",
			object: with(rolling, appsv1.StatefulSetStatus{ObservedGeneration: 2, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1}),
			want:   "LessReplicas",
		},
		"updating": {
			reason: "two pods are of the old version",
			object: with(rolling, appsv1.StatefulSetStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 1, ReadyReplicas: 3}),
			want:   "LessUpdated",
		},
		"unready": {
			reason: "one is not ready",
			object: with(rolling, appsv1.StatefulSetStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: 2}),
			want:   "LessAvailable",
		},
		"ready too shortly": {
			reason: "minReadySeconds are not over for all", object: slow, want: "LessAvailable",
		},
		"scaling down": {
			reason: "one has yet to go",
			object: with(rolling, appsv1.StatefulSetStatus{ObservedGeneration: 2, Replicas: 4, UpdatedReplicas: 4, ReadyReplicas: 4}),
			want:   "ExtraPods",
		},
		"rolled out": {
			reason: "all are ready",
			object: with(rolling, appsv1.StatefulSetStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: 3}),
			want:   "ready",
		},
		"to the partition": {
			reason: "pods 0 and 1 are to stay as they are",
			object: with(partition(2), appsv1.StatefulSetStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 1, ReadyReplicas: 3}),
			want:   "ready",
		},
		"not to the partition": {
			reason: "pod 1 is to be updated too",
			object: with(partition(1), appsv1.StatefulSetStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 1, ReadyReplicas: 3}),
			want:   "LessUpdated",
		},
		"partition beyond the pods": {
			reason: "no pod is to be updated",
			object: with(partition(9), appsv1.StatefulSetStatus{ObservedGeneration: 2, Replicas: 3, ReadyReplicas: 3}),
			want:   "ready",
		},
		"OnDelete, old pods": {
			reason: "it is for somebody else to replace them, who may be waiting for this",
			object: with(onDelete, appsv1.StatefulSetStatus{ObservedGeneration: 2, Replicas: 3, ReadyReplicas: 3}),
			want:   "ready",
		},
		"OnDelete, unready pods": {
			reason: "pods have to be ready all the same",
			object: with(onDelete, appsv1.StatefulSetStatus{ObservedGeneration: 2, Replicas: 3, ReadyReplicas: 1}),
			want:   "LessAvailable",
		},
	})
}

func TestDaemonSetReadiness(t *testing.T) {
	with := func(strategy appsv1.DaemonSetUpdateStrategyType, status appsv1.DaemonSetStatus) *appsv1.DaemonSet {
		return &appsv1.DaemonSet{
			ObjectMeta: metav1.ObjectMeta{Generation: 2},
			Spec:       appsv1.DaemonSetSpec{UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: strategy}},
			Status:     status,
		}
	}
	rolling, onDelete := appsv1.RollingUpdateDaemonSetStrategyType, appsv1.OnDeleteDaemonSetStrategyType
	judge(t, "apps/v1", "DaemonSet", map[string]judgement{
		"new": {
			reason: "nobody has counted the nodes", object: with(rolling, appsv1.DaemonSetStatus{}), want: "LatestGenerationNotObserved",
		},
		"old generation": {
			reason: "the status is about the previous version",
			object: with(rolling, appsv1.DaemonSetStatus{ObservedGeneration: 1, DesiredNumberScheduled: 2, CurrentNumberScheduled: 2, UpdatedNumberScheduled: 2, NumberAvailable: 2}),
			want:   "LatestGenerationNotObserved",
		},
		"no nodes": {
			reason: "no node is to have a pod", object: with(rolling, appsv1.DaemonSetStatus{ObservedGeneration: 2}), want: "ready",
		},
		"coming up": {
			reason: "a node has no pod",
			object: with(rolling, appsv1.DaemonSetStatus{ObservedGeneration: 2, DesiredNumberScheduled: 2, CurrentNumberScheduled: 1}), want: "LessReplicas",
		},
		"updating": {
			reason: "a node has an old pod",
			object: with(rolling, appsv1.DaemonSetStatus{ObservedGeneration: 2, DesiredNumberScheduled: 2, CurrentNumberScheduled: 2, UpdatedNumberScheduled: 1, NumberAvailable: 2}),
			want:   "LessUpdated",
		},
		"unavailable": {
			reason: "a pod is not available",
			object: with(rolling, appsv1.DaemonSetStatus{ObservedGeneration: 2, DesiredNumberScheduled: 2, CurrentNumberScheduled: 2, UpdatedNumberScheduled: 2, NumberAvailable: 1}),
			want:   "LessAvailable",
		},
		"rolled out": {
			reason: "all are",
			object: with(rolling, appsv1.DaemonSetStatus{ObservedGeneration: 2, DesiredNumberScheduled: 2, CurrentNumberScheduled: 2, UpdatedNumberScheduled: 2, NumberAvailable: 2}),
			want:   "ready",
		},
		"OnDelete": {
			reason: "it is for somebody else to replace old pods",
			object: with(onDelete, appsv1.DaemonSetStatus{ObservedGeneration: 2, DesiredNumberScheduled: 2, CurrentNumberScheduled: 2, NumberAvailable: 2}),
			want:   "ready",
		},
	})
}
