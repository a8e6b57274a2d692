package resources

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func deploymentWith(generation int64, replicas int32, status appsv1.DeploymentStatus) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Generation: generation},
		Spec:       appsv1.DeploymentSpec{Replicas: &replicas, ProgressDeadlineSeconds: new(int32(600))},
		Status:     status,
	}
}

func paused(deployment *appsv1.Deployment) *appsv1.Deployment {
	deployment.Spec.Paused = true
	return deployment
}

func TestDeploymentReadiness(t *testing.T) {
	unset := deploymentWith(1, 0, appsv1.DeploymentStatus{ObservedGeneration: 1})
	unset.Spec.Replicas = nil
	judge(t, "apps/v1", "Deployment", map[string]judgement{
		"new": {
			reason: "its controller has not seen it yet",
			object: deploymentWith(1, 2, appsv1.DeploymentStatus{}), want: "LatestGenerationNotObserved",
		},
		"new without replicas": {
			reason: "there may be pods of before the scaling to zero: nobody has looked",
			object: deploymentWith(1, 0, appsv1.DeploymentStatus{}), want: "LatestGenerationNotObserved",
		},
		"scaled to zero": {
			reason: "there is to be no pod, and there is none",
			object: deploymentWith(2, 0, appsv1.DeploymentStatus{ObservedGeneration: 2}), want: "ready",
		},
		"pods left": {
			reason: "there is to be no pod, and there is one",
			object: deploymentWith(2, 0, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 1, UpdatedReplicas: 1}), want: "ExtraPods",
		},
		"replicas unset": {
			reason: "one is the default",
			object: unset, want: "LessReplicas",
		},
		"old generation": {
			reason: "its status is about the pods of the previous version (C11, pass 1)",
			object: deploymentWith(2, 2, appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2}),
			want:   "LatestGenerationNotObserved",
		},
		"partly updated": {
			reason: "old pods still serve (C11, pass 2)",
			object: deploymentWith(2, 2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 1, ReadyReplicas: 2, AvailableReplicas: 2}),
			want:   "LessUpdated",
		},
		"old pod terminating": {
			reason: "an old pod is still there (C11, pass 3)",
			object: deploymentWith(2, 2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 2, ReadyReplicas: 3, AvailableReplicas: 3}),
			want:   "ExtraPods",
		},
		"not available": {
			reason: "pods have not been ready for long enough",
			object: deploymentWith(2, 2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 1}),
			want:   "LessAvailable",
		},
		"rolled out": {
			reason: "all pods are new and available (C11, pass 4)",
			object: deploymentWith(2, 2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2}),
			want:   "ready",
		},
		"deadline exceeded": {
			reason: "it will not get there by itself",
			object: deploymentWith(2, 2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 1, Conditions: []appsv1.DeploymentCondition{
				{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded", Message: `ReplicaSet "web-1" has timed out progressing.`},
			}}),
			want: "ProgressDeadlineExceeded!",
		},
		"deadline of the old generation": {
			reason: "the new generation has a deadline of its own",
			object: deploymentWith(3, 2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 1, Conditions: []appsv1.DeploymentCondition{
				{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded"},
			}}),
			want: "LatestGenerationNotObserved",
		},
		"quota": {
			reason: "its pods are refused",
			object: deploymentWith(1, 2, appsv1.DeploymentStatus{ObservedGeneration: 1, Conditions: []appsv1.DeploymentCondition{
				{Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate", Message: `pods "web-1-x7k2p" is forbidden: exceeded quota`},
			}}),
			want: "FailedCreate",
		},
		"paused before it is rolled out": {
			reason: "nothing will happen until somebody resumes it",
			object: paused(deploymentWith(2, 2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 2, ReadyReplicas: 2, AvailableReplicas: 2})),
			want:   "Paused",
		},
		"paused afterwards": {
			reason: "there is nothing to roll out",
			object: paused(deploymentWith(2, 2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2})),
			want:   "ready",
		},
	})
}

func TestReplicaSetReadiness(t *testing.T) {
	with := func(generation int64, status appsv1.ReplicaSetStatus) *appsv1.ReplicaSet {
		return &appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{Generation: generation},
			Spec:       appsv1.ReplicaSetSpec{Replicas: new(int32(2))},
			Status:     status,
		}
	}
	judge(t, "apps/v1", "ReplicaSet", map[string]judgement{
		"new":       {reason: "nobody has looked", object: with(1, appsv1.ReplicaSetStatus{}), want: "LatestGenerationNotObserved"},
		"some":      {reason: "one is missing", object: with(1, appsv1.ReplicaSetStatus{ObservedGeneration: 1, Replicas: 1, AvailableReplicas: 1}), want: "LessReplicas"},
		"unready":   {reason: "one is not available", object: with(1, appsv1.ReplicaSetStatus{ObservedGeneration: 1, Replicas: 2, AvailableReplicas: 1}), want: "LessAvailable"},
		"too many":  {reason: "one has yet to go", object: with(1, appsv1.ReplicaSetStatus{ObservedGeneration: 1, Replicas: 3, AvailableReplicas: 3}), want: "ExtraPods"},
		"available": {reason: "all are", object: with(1, appsv1.ReplicaSetStatus{ObservedGeneration: 1, Replicas: 2, AvailableReplicas: 2}), want: "ready"},
		"refused": {reason: "its pods are", want: "FailedCreate", object: with(1, appsv1.ReplicaSetStatus{ObservedGeneration: 1, Conditions: []appsv1.ReplicaSetCondition{
			{Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate"},
		}})},
	})
}
