package merge

import "k8s.io/apimachinery/pkg/api/equality"

// Patch returns the JSON merge patch (RFC 7386) that turns from into to, and
// whether there is any difference. Lists are replaced as a whole. Null is the
// same as no value.
func Patch(from, to any) (any, bool) {
	if equality.Semantic.DeepEqual(from, to) {
		return nil, false
	}
	fromFields, ok := from.(map[string]any)
	if !ok {
		return to, true
	}
	toFields, ok := to.(map[string]any)
	if !ok {
		return to, true
	}
	patch := map[string]any{}
	for key, value := range toFields {
		if value == nil {
			continue
		}
		if change, differs := Patch(fromFields[key], value); differs {
			patch[key] = change
		}
	}
	for key, value := range fromFields {
		if value != nil && toFields[key] == nil {
			patch[key] = nil
		}
	}
	return patch, len(patch) > 0
}
