package resources

import (
	"fmt"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Readiness says whether a child is ready, and if not, why. The zero value is
// not ready, for no reason that is known.
type Readiness struct {
	// Ready says that the child does what it was made for, at its latest
	// generation.
	Ready bool
	// Reason is a CamelCase word. Defaults to "NotReady".
	Reason string
	// Message is a sentence for people, without text that changes from pass to
	// pass. Defaults to saying that the child is not ready.
	Message string
}

// complete fills in what was left out.
func (r Readiness) complete() Readiness {
	if r.Ready {
		return Readiness{Ready: true}
	}
	if r.Reason == "" {
		r.Reason = "NotReady"
	}
	if r.Message == "" {
		r.Message = "not ready"
	}
	return r
}

// defaultReadiness asks the rule of the kind where there is one, else kstatus.
func defaultReadiness[C client.Object](child C) Readiness {
	if service, ok := any(child).(*corev1.Service); ok {
		return serviceReadiness(service)
	}
	return kstatus(child)
}

// serviceReadiness waits for the address of a load balancer, which kstatus does
// not: it is content when there is a cluster IP.
func serviceReadiness(service *corev1.Service) Readiness {
	if service.Spec.Type == corev1.ServiceTypeLoadBalancer && len(service.Status.LoadBalancer.Ingress) == 0 {
		return Readiness{Reason: "NoAddress", Message: "the load balancer has no address yet"}
	}
	return Readiness{Ready: true}
}

// kstatus asks the library of that name, which goes by the kind, the observed
// generation and the conditions.
func kstatus(child client.Object) Readiness {
	content, ok := child.(*unstructured.Unstructured)
	if !ok {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(child)
		if err != nil {
			return Readiness{Reason: "Unknown", Message: err.Error()}
		}
		content = &unstructured.Unstructured{Object: fields}
	}
	result, err := status.Compute(content)
	if err != nil {
		return Readiness{Reason: "Unknown", Message: err.Error()}
	}
	if result.Status == status.CurrentStatus {
		return Readiness{Ready: true}
	}
	verdict := Readiness{Reason: string(result.Status), Message: result.Message}
	for _, condition := range result.Conditions {
		if condition.Reason != "" {
			verdict.Reason = condition.Reason
		}
		if result.Status == status.FailedStatus && condition.Message != "" {
			verdict.Message = fmt.Sprintf("%s: %s", result.Message, condition.Message)
		}
	}
	return verdict
}
