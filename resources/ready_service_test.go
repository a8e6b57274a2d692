package resources

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestServiceReadiness(t *testing.T) {
	with := func(kind corev1.ServiceType, addresses ...corev1.LoadBalancerIngress) *corev1.Service {
		return &corev1.Service{
			Spec:   corev1.ServiceSpec{Type: kind},
			Status: corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{Ingress: addresses}},
		}
	}
	judge(t, "v1", "Service", map[string]judgement{
		"cluster IP":       {reason: "it exists", object: with(corev1.ServiceTypeClusterIP), want: "ready"},
		"external name":    {reason: "it exists", object: with(corev1.ServiceTypeExternalName), want: "ready"},
		"no load balancer": {reason: "kstatus would call it current", object: with(corev1.ServiceTypeLoadBalancer), want: "NoAddress"},
		"load balancer":    {reason: "it can be reached", object: with(corev1.ServiceTypeLoadBalancer, corev1.LoadBalancerIngress{Hostname: "lb.example.com"}), want: "ready"},
	})
}

func TestIngressReadiness(t *testing.T) {
	with := func(addresses ...networkingv1.IngressLoadBalancerIngress) *networkingv1.Ingress {
		return &networkingv1.Ingress{Status: networkingv1.IngressStatus{LoadBalancer: networkingv1.IngressLoadBalancerStatus{Ingress: addresses}}}
	}
	judge(t, "networking.k8s.io/v1", "Ingress", map[string]judgement{
		"new":     {reason: "nobody serves it", object: with(), want: "NoAddress"},
		"address": {reason: "it can be reached", object: with(networkingv1.IngressLoadBalancerIngress{IP: "192.0.2.1"}), want: "ready"},
	})
}

func TestPersistentVolumeClaimReadiness(t *testing.T) {
	with := func(phase corev1.PersistentVolumeClaimPhase, capacity string, resizing corev1.ClaimResourceStatus) *corev1.PersistentVolumeClaim {
		claim := &corev1.PersistentVolumeClaim{
			Spec: corev1.PersistentVolumeClaimSpec{Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")},
			}},
			Status: corev1.PersistentVolumeClaimStatus{Phase: phase},
		}
		if capacity != "" {
			claim.Status.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(capacity)}
		}
		if resizing != "" {
			claim.Status.AllocatedResourceStatuses = map[corev1.ResourceName]corev1.ClaimResourceStatus{corev1.ResourceStorage: resizing}
		}
		return claim
	}
	judge(t, "v1", "PersistentVolumeClaim", map[string]judgement{
		"pending":  {reason: "it has no volume, for whatever reason", object: with(corev1.ClaimPending, "", ""), want: "NotBound"},
		"bound":    {reason: "it has a volume", object: with(corev1.ClaimBound, "2048Mi", ""), want: "ready"},
		"larger":   {reason: "a volume may be larger than was asked for", object: with(corev1.ClaimBound, "5Gi", ""), want: "ready"},
		"lost":     {reason: "the data are gone", object: with(corev1.ClaimLost, "", ""), want: "Lost!"},
		"growing":  {reason: "it is not as large as it should be", object: with(corev1.ClaimBound, "1Gi", ""), want: "Resizing"},
		"too much": {reason: "the storage will not give as much", object: with(corev1.ClaimBound, "1Gi", corev1.PersistentVolumeClaimControllerResizeInfeasible), want: "ResizeInfeasible!"},
	})
}

func TestPodDisruptionBudgetReadiness(t *testing.T) {
	with := func(observed int64, reason string) *policyv1.PodDisruptionBudget {
		budget := &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Generation: 2}, Status: policyv1.PodDisruptionBudgetStatus{ObservedGeneration: observed},
		}
		if reason != "" {
			budget.Status.Conditions = []metav1.Condition{{Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse, Reason: reason}}
		}
		return budget
	}
	judge(t, "policy/v1", "PodDisruptionBudget", map[string]judgement{
		"new":          {reason: "nobody has looked", object: with(0, ""), want: "LatestGenerationNotObserved"},
		"changed":      {reason: "the old one is in force", object: with(1, policyv1.SufficientPodsReason), want: "LatestGenerationNotObserved"},
		"in force":     {reason: "it is reckoned with", object: with(2, policyv1.SufficientPodsReason), want: "ready"},
		"used up":      {reason: "that it allows none now is what it is for", object: with(2, policyv1.InsufficientPodsReason), want: "ready"},
		"not in force": {reason: "its pods cannot be counted", object: with(2, policyv1.SyncFailedReason), want: "SyncFailed"},
	})
}
