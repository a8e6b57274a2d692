package merge

import "k8s.io/apimachinery/pkg/api/equality"

// Patch returns the JSON merge patch (RFC 7386) that turns from into to, and
// whether there is any difference. Lists are replaced as a whole.
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
		if change, differs := Patch(fromFields[key], value); differs {
			patch[key] = change
		}
	}
	for key := range fromFields {
		if _, kept := toFields[key]; !kept {
			patch[key] = nil
		}
	}
	return patch, len(patch) > 0
}
