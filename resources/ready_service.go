package resources

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// serviceReadiness waits for the address of a load balancer, which kstatus does
// not: it is content when there is a cluster IP.
func serviceReadiness(service *corev1.Service) Readiness {
	if service.Spec.Type == corev1.ServiceTypeLoadBalancer && len(service.Status.LoadBalancer.Ingress) == 0 {
		return notReady("NoAddress", "the load balancer has no address yet")
	}
	return ready
}

// ingressReadiness waits for an address, of which kstatus knows nothing.
func ingressReadiness(ingress *networkingv1.Ingress) Readiness {
	if len(ingress.Status.LoadBalancer.Ingress) == 0 {
		return notReady("NoAddress", "it has no address yet")
	}
	return ready
}
