// Package merge works on JSON values, as encoding/json and unstructured objects
// hold them, to write a part of an object without losing what others wrote.
package merge

import (
	"k8s.io/apimachinery/pkg/api/equality"
)

// ThreeWay returns live with everything changed that differs between base and
// ours. Objects are merged field by field. Lists of conditions, that is of
// objects with a type and a status, are merged by type: the order is live's,
// new ones go to the end. Any other value that differs is ours as a whole.
// A field that base has and ours has not is removed. The arguments stay as they
// are; the result may share parts with them.
func ThreeWay(base, ours, live any) any {
	if equality.Semantic.DeepEqual(base, ours) {
		return live
	}
	if ourFields, ok := ours.(map[string]any); ok {
		baseFields, _ := base.(map[string]any)
		liveFields, _ := live.(map[string]any)
		return fields(baseFields, ourFields, liveFields)
	}
	ourItems, ok := conditions(ours)
	if !ok {
		return ours
	}
	baseItems, ok := conditions(base)
	if !ok {
		return ours
	}
	liveItems, ok := conditions(live)
	if !ok {
		return ours
	}
	return byType(baseItems, ourItems, liveItems)
}

func fields(base, ours, live map[string]any) map[string]any {
	merged := make(map[string]any, len(live)+len(ours))
	for key, value := range live {
		merged[key] = value
	}
	for key, value := range ours {
		if value, ok := optional(ThreeWay(base[key], value, live[key])); ok {
			merged[key] = value
		}
	}
	for key := range base {
		if _, kept := ours[key]; !kept {
			delete(merged, key)
		}
	}
	return merged
}

// optional reports whether a field has a value at all.
func optional(value any) (any, bool) { return value, value != nil }

func byType(base, ours, live []any) []any {
	baseBy, oursBy := index(base), index(ours)
	var merged []any
	seen := map[string]bool{}
	for _, item := range live {
		name := typeOf(item)
		seen[name] = true
		our, wanted := oursBy[name]
		before, had := baseBy[name]
		switch {
		case wanted:
			merged = append(merged, ThreeWay(before, our, item))
		case !had:
			merged = append(merged, item) // somebody else's
		}
	}
	for _, item := range ours {
		name := typeOf(item)
		// One that is in base and not in live was removed by somebody else; it
		// comes back only if this pass has something new to say about it.
		before, had := baseBy[name]
		if !seen[name] && (!had || !equality.Semantic.DeepEqual(before, item)) {
			merged = append(merged, item)
		}
	}
	return merged
}

// conditions returns the items of a list if all of them are conditions. No
// value at all is a list without items.
func conditions(value any) ([]any, bool) {
	if value == nil {
		return nil, true
	}
	items, ok := value.([]any)
	if !ok {
		return nil, false
	}
	for _, item := range items {
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, false
		}
		_, hasType := fields["type"].(string)
		_, hasStatus := fields["status"].(string)
		if !hasType || !hasStatus {
			return nil, false
		}
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
