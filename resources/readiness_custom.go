package resources

import (
	"maps"
	"reflect"
	"strings"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// customReadiness judges an object of which only that is known which all
// objects have in common: by kstatus, after what kstatus does not look at.
func customReadiness(object client.Object) Readiness {
	content, err := contentOf(object)
	if err != nil {
		return notReady("Unreadable", "%v", err)
	}
	current, outdated := currentConditions(content, object.GetGeneration())
	if outdated || !reported(object, content) {
		return unseen
	}
	return kstatus(current)
}

// kstatus asks the library of that name, which goes by the observed generation
// and the conditions.
func kstatus(content map[string]any) Readiness {
	result, err := status.Compute(&unstructured.Unstructured{Object: content})
	if err != nil {
		return notReady("Unreadable", "%v", err)
	}
	if result.Status == status.CurrentStatus {
		return ready
	}
	verdict := Readiness{
		Failed:  result.Status == status.FailedStatus,
		Reason:  string(result.Status),
		Message: result.Message,
	}
	for _, condition := range result.Conditions {
		if condition.Reason == unseen.Reason {
			return unseen
		}
		if condition.Reason != "" {
			verdict.Reason = condition.Reason
		}
	}
	return verdict
}

// currentConditions returns an object without the conditions that say themselves
// that they are about an older generation. It reports whether this leaves out
// all there are, or Ready, so that there is nothing left to go by. The content
// given is not changed.
func currentConditions(content map[string]any, generation int64) (map[string]any, bool) {
	state, _ := content["status"].(map[string]any)
	conditions, _ := state["conditions"].([]any)
	current := make([]any, 0, len(conditions))
	outdated := false
	for _, item := range conditions {
		condition, ok := item.(map[string]any)
		observed, found, err := unstructured.NestedInt64(condition, "observedGeneration")
		if ok && found && err == nil && observed < generation {
			outdated = outdated || condition["type"] == "Ready"
			continue
		}
		current = append(current, item)
	}
	if len(current) == len(conditions) {
		return content, false
	}
	state, content = maps.Clone(state), maps.Clone(content)
	state["conditions"], content["status"] = current, state
	return content, outdated || len(current) == 0
}

// reported reports whether the controller of an object has filled in what the Go
// type of the object says that it does. Of the types of Kubernetes itself that
// is not expected: many have conditions that are only there in trouble.
func reported(object client.Object, content map[string]any) bool {
	goType := reflect.TypeOf(object).Elem()
	if object.GetGeneration() == 0 || strings.HasPrefix(goType.PkgPath(), "k8s.io/") {
		return true
	}
	field, ok := goType.FieldByName("Status")
	if !ok {
		return true
	}
	declared := field.Type
	if declared.Kind() == reflect.Pointer {
		declared = declared.Elem()
	}
	if declared.Kind() != reflect.Struct {
		return true
	}
	state, _ := content["status"].(map[string]any)
	if _, ok := declared.FieldByName("Conditions"); ok {
		conditions, _ := state["conditions"].([]any)
		return len(conditions) > 0
	}
	if _, ok := declared.FieldByName("ObservedGeneration"); ok {
		_, found := state["observedGeneration"]
		return found
	}
	return true
}
