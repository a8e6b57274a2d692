package resources

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
)

func deploymentWith(generation int64, status appsv1.DeploymentStatus) *appsv1.Deployment {
	if status.Conditions == nil {
		status.Conditions = []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue},
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"},
		}
	}
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Generation: generation},
		Spec:       appsv1.DeploymentSpec{Replicas: ptr.To[int32](2), ProgressDeadlineSeconds: ptr.To[int32](600)},
		Status:     status,
	}
}

func TestDeploymentReadiness(t *testing.T) {
	for name, test := range map[string]struct {
		reason string
		child  *appsv1.Deployment
		want   bool
		why    string
	}{
		"new": {
			reason: "nothing is known of it yet",
			child:  deploymentWith(1, appsv1.DeploymentStatus{Conditions: []appsv1.DeploymentCondition{}}),
			why:    "LessReplicas",
		},
		"old generation": {
			reason: "its status is about the pods of the previous version (C11, pass 1)",
			child:  deploymentWith(2, appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2}),
			why:    "LatestGenerationNotObserved",
		},
		"partly updated": {
			reason: "old pods still serve (C11, pass 2)",
			child:  deploymentWith(2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 1, ReadyReplicas: 2, AvailableReplicas: 2}),
			why:    "LessUpdated",
		},
		"old pod terminating": {
			reason: "an old pod is still there (C11, pass 3)",
			child:  deploymentWith(2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 2, ReadyReplicas: 3, AvailableReplicas: 3}),
			why:    "ExtraPods",
		},
		"rolled out": {
			reason: "all pods are new and available (C11, pass 4)",
			child:  deploymentWith(2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2}),
			want:   true,
		},
		"deadline exceeded": {
			reason: "it will not get there by itself",
			child: deploymentWith(2, appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 1, Conditions: []appsv1.DeploymentCondition{
				{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded", Message: "quota"},
			}}),
			why: "ProgressDeadlineExceeded",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := defaultReadiness(test.child)
			if got.Ready != test.want || got.Reason != test.why {
				t.Errorf("%s: got %+v, want ready %v, reason %q", test.reason, got, test.want, test.why)
			}
		})
	}
}

func TestReadinessOfOtherKinds(t *testing.T) {
	if got := defaultReadiness(&corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}}); !got.Ready {
		t.Errorf("a ConfigMap that exists is ready, got %+v", got)
	}
	balancer := &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		Spec:     corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, ClusterIP: "10.0.0.1"},
	}
	if got := defaultReadiness(balancer); got.Ready || got.Reason != "NoAddress" {
		t.Errorf("a load balancer without an address is not ready, got %+v", got)
	}
	balancer.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
	if got := defaultReadiness(balancer); !got.Ready {
		t.Errorf("a load balancer with an address is ready, got %+v", got)
	}
	custom := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Thing",
		"status": map[string]any{"conditions": []any{map[string]any{
			"type": "Ready", "status": "False", "reason": "Broken", "message": "it is",
		}}},
	}}
	if got := defaultReadiness(custom); got.Ready || got.Message != "it is" {
		t.Errorf("a custom resource says itself whether it is ready, got %+v", got)
	}
}

func TestReadinessIsJudgedOncePerVersion(t *testing.T) {
	calls := 0
	test := func(*corev1.ConfigMap) Readiness {
		calls++
		return Readiness{}
	}
	known := &record[*corev1.ConfigMap]{}
	child := func(version string) *observation[*corev1.ConfigMap] {
		return share(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}})
	}
	for _, version := range []string{"1", "1", "2", "2", "1"} {
		got := known.readiness(child(version), test)
		if got.Ready || got.Reason != "NotReady" || got.Message == "" {
			t.Errorf("the zero Readiness gave %+v, want words for a condition", got)
		}
	}
	if calls != 3 {
		t.Errorf("judged %d times, want 3: once for each version in turn", calls)
	}
}
