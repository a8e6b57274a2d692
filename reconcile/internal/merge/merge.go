// Package merge works on JSON values, as encoding/json and unstructured objects
// hold them, to write a part of an object without losing what others wrote.
package merge

import (
	"k8s.io/apimachinery/pkg/api/equality"
)

// ThreeWay returns live with everything changed that differs between base and
// ours. Objects are merged field by field. Lists of conditions, that is of
// objects with a type of their own and a status, are merged by type, see
// [condition]: the order is live's, new ones go to the end. Any other value that
// differs is ours as a whole, except that an observedGeneration that went up in
// the meantime is not taken down again.
//
// What base has and ours has not is removed: of an object or a list of
// conditions only what base had, so that what others put there stays. Null is
// the same as no value, and nil is the result where nothing is left. The
// arguments stay as they are; the result may share parts with them.
func ThreeWay(base, ours, live any) any {
	if equality.Semantic.DeepEqual(base, ours) {
		return live
	}
	if merged, ok := byField(base, ours, live); ok {
		return merged
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
	merged := byType(baseItems, ourItems, liveItems)
	if len(merged) == 0 && ours == nil {
		return nil
	}
	return merged
}

// byField merges objects. It returns false if there is no object in base and
// ours, or something else in one of them. What is left of an object that ours
// has not is nil if it is empty.
func byField(base, ours, live any) (any, bool) {
	baseFields, isObject := base.(map[string]any)
	ourFields, wanted := ours.(map[string]any)
	if !wanted && (!isObject || ours != nil) {
		return nil, false
	}
	liveFields, _ := live.(map[string]any)
	merged := fields(baseFields, ourFields, liveFields)
	if len(merged) == 0 && !wanted {
		return nil, true
	}
	return merged, true
}

func fields(base, ours, live map[string]any) map[string]any {
	merged := make(map[string]any, len(live)+len(ours))
	for key, value := range live {
		if value != nil {
			merged[key] = value
		}
	}
	merge := func(key string) {
		switch value := ThreeWay(base[key], ours[key], live[key]); {
		case key == observedGeneration && overtaken(base, ours, live): // live's stays
		case value != nil:
			merged[key] = value
		default:
			delete(merged, key)
		}
	}
	for key := range ours {
		merge(key)
	}
	for key := range base {
		if _, done := ours[key]; !done {
			merge(key)
		}
	}
	return merged
}

func byType(base, ours, live []any) []any {
	baseBy, oursBy := index(base), index(ours)
	merged := []any{}
	seen := map[string]bool{}
	for _, item := range live {
		name := typeOf(item)
		seen[name] = true
		our, wanted := oursBy[name]
		before, had := baseBy[name]
		switch {
		case wanted:
			merged = append(merged, condition(before, our, item))
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
