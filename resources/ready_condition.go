package resources

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ReadyCondition returns a test for [Child.ReadyWhen] that goes by one
// condition: the object is ready when it has it, it is True, and neither it nor
// the status as a whole is about an older generation.
//
//	resources.Ensure(desiredGateway).ReadyWhen(resources.ReadyCondition[*gatewayv1.Gateway]("Programmed"))
func ReadyCondition[C client.Object](conditionType string) func(C) Readiness {
	return func(object C) Readiness {
		content, err := contentOf(object)
		if err != nil {
			return notReady("Unreadable", "%v", err)
		}
		generation := object.GetGeneration()
		observed, found, _ := unstructured.NestedInt64(content, "status", "observedGeneration")
		if found && observed < generation {
			return unseen
		}
		state, _ := content["status"].(map[string]any)
		conditions, _ := state["conditions"].([]any)
		for _, item := range conditions {
			condition, _ := item.(map[string]any)
			if condition["type"] != conditionType {
				continue
			}
			if observed, found, _ := unstructured.NestedInt64(condition, "observedGeneration"); found && observed < generation {
				return unseen
			}
			if condition["status"] == "True" {
				return ready
			}
			reason, _ := condition["reason"].(string)
			message, _ := condition["message"].(string)
			return Readiness{Reason: reason, Message: message}
		}
		return notReady("LatestGenerationNotObserved", "it has no condition %s yet", conditionType)
	}
}
