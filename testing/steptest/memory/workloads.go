package memory

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Workloads plays the controllers of Deployments, StatefulSets, DaemonSets and Jobs:
// it makes no pods, but writes the status that they would have, in two steps: first
// that the generation is seen and nothing is ready yet, then that all is.
var Workloads Actor = ActorFunc(work)

func work(ctx context.Context, cluster Cluster) (bool, error) {
	for _, object := range cluster.All() {
		if object.GetDeletionTimestamp() != nil || isSettled(object) {
			continue
		}
		typed, err := advance(object)
		if err != nil || typed == nil {
			if err != nil {
				return false, err
			}
			continue
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
		if err != nil {
			return false, err
		}
		changed := object.DeepCopy()
		changed.Object["status"] = content["status"]
		return true, cluster.As("kube-controller-manager").Status().Patch(ctx, changed, client.MergeFrom(object))
	}
	return false, nil
}

// isSettled reports whether a workload has the status that it ends with. It spares
// converting most of them.
func isSettled(object *unstructured.Unstructured) bool {
	if object.GetKind() != "Deployment" {
		return false
	}
	status, spec := nested(object.Object, "status"), nested(object.Object, "spec")
	ready, _ := status["availableReplicas"].(int64)
	return status["observedGeneration"] == object.GetGeneration() && ready == spec["replicas"]
}

// advance returns a workload with the status that it has next, nil if it stays as it
// is or is no workload.
func advance(object *unstructured.Unstructured) (client.Object, error) {
	var typed client.Object
	var next func()
	switch object.GetKind() {
	case "Deployment":
		deployment := &appsv1.Deployment{}
		typed, next = deployment, func() { advanceDeployment(deployment) }
	case "StatefulSet":
		set := &appsv1.StatefulSet{}
		typed, next = set, func() { advanceStatefulSet(set) }
	case "DaemonSet":
		set := &appsv1.DaemonSet{}
		typed, next = set, func() { set.Status.ObservedGeneration = set.Generation }
	case "Job":
		job := &batchv1.Job{}
		typed, next = job, func() { advanceJob(job) }
	default:
		return nil, nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed); err != nil {
		return nil, err
	}
	before := typed.DeepCopyObject()
	next()
	if equality.Semantic.DeepEqual(before, typed) {
		return nil, nil
	}
	return typed, nil
}

func advanceDeployment(deployment *appsv1.Deployment) {
	status, replicas := &deployment.Status, *deployment.Spec.Replicas
	if status.ObservedGeneration != deployment.Generation {
		*status = appsv1.DeploymentStatus{
			ObservedGeneration: deployment.Generation, Replicas: replicas, UnavailableReplicas: replicas,
			Conditions: []appsv1.DeploymentCondition{
				{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionFalse, Reason: "MinimumReplicasUnavailable"},
				{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "ReplicaSetUpdated"},
			},
		}
		return
	}
	*status = appsv1.DeploymentStatus{
		ObservedGeneration: deployment.Generation, Replicas: replicas, UpdatedReplicas: replicas, ReadyReplicas: replicas, AvailableReplicas: replicas,
		Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable"},
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"},
		},
	}
}

func advanceStatefulSet(set *appsv1.StatefulSet) {
	status, replicas := &set.Status, *set.Spec.Replicas
	if status.ObservedGeneration != set.Generation {
		*status = appsv1.StatefulSetStatus{ObservedGeneration: set.Generation, Replicas: replicas, CurrentRevision: "1", UpdateRevision: "2"}
		return
	}
	*status = appsv1.StatefulSetStatus{
		ObservedGeneration: set.Generation, Replicas: replicas, ReadyReplicas: replicas, CurrentReplicas: replicas,
		UpdatedReplicas: replicas, AvailableReplicas: replicas, CurrentRevision: "2", UpdateRevision: "2",
	}
}

// longAgo is when a played Job began and ended.
var longAgo = metav1.Unix(1, 0)

func advanceJob(job *batchv1.Job) {
	if job.Status.StartTime == nil {
		job.Status = batchv1.JobStatus{Active: 1, StartTime: &longAgo}
		return
	}
	job.Status = batchv1.JobStatus{
		StartTime: &longAgo, CompletionTime: &longAgo, Succeeded: 1,
		Conditions: []batchv1.JobCondition{
			{Type: batchv1.JobSuccessCriteriaMet, Status: corev1.ConditionTrue, LastTransitionTime: longAgo, LastProbeTime: longAgo},
			{Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: longAgo, LastProbeTime: longAgo},
		},
	}
}
