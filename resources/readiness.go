package resources

import (
	"fmt"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
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

// defaultReadiness asks kstatus.
func defaultReadiness[C client.Object](child C) Readiness {
	content, ok := any(child).(*unstructured.Unstructured)
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
