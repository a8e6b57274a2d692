package merge

import "k8s.io/apimachinery/pkg/api/equality"

// The fields of a condition, and of a status, that have a meaning here.
const (
	observedGeneration = "observedGeneration"
	lastTransitionTime = "lastTransitionTime"
)

// condition merges one condition, of a type that all three have or base lacks.
// It is one statement: if ours says anything new all of it is ours, so that no
// reason stands beside a status that it is not the reason of. What is only in
// live are fields that we do not know, and stays; so does its lastTransitionTime
// if the status is the same, and the whole of it if somebody has said it of a
// newer generation in the meantime.
func condition(base, ours, live any) any {
	if equality.Semantic.DeepEqual(base, ours) {
		return live
	}
	before, _ := base.(map[string]any)
	our, _ := ours.(map[string]any)
	there, _ := live.(map[string]any)
	if overtaken(before, our, there) {
		return live
	}
	merged := make(map[string]any, len(there)+len(our))
	for key, value := range there {
		if _, known := before[key]; !known {
			merged[key] = value
		}
	}
	for key, value := range our {
		if value != nil {
			merged[key] = value
		}
	}
	if moved, ok := there[lastTransitionTime]; ok && moved != nil && there["status"] == our["status"] {
		merged[lastTransitionTime] = moved
	}
	return merged
}

// overtaken reports whether live has come to be about a newer generation than
// ours. What was there from the start does not count: an object that was restored
// from a backup begins with generation 1 again.
func overtaken(base, ours, live map[string]any) bool {
	our, ok := ours[observedGeneration].(int64)
	there, known := live[observedGeneration].(int64)
	return ok && known && our < there && base[observedGeneration] != there
}

// conditions returns the items of a list if all of them are conditions, each of
// a type of its own: where types repeat they are no key. No value at all is a
// list without items.
func conditions(value any) ([]any, bool) {
	if value == nil {
		return nil, true
	}
	items, ok := value.([]any)
	if !ok {
		return nil, false
	}
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, false
		}
		name, hasType := fields["type"].(string)
		_, hasStatus := fields["status"].(string)
		if !hasType || !hasStatus || seen[name] {
			return nil, false
		}
		seen[name] = true
	}
	return items, true
}

func typeOf(condition any) string {
	name, _ := condition.(map[string]any)["type"].(string)
	return name
}

func index(conditions []any) map[string]any {
	byType := make(map[string]any, len(conditions))
	for _, condition := range conditions {
		byType[typeOf(condition)] = condition
	}
	return byType
}
