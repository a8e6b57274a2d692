package merge

// WithoutNewGenerations returns ours without each observedGeneration in it that
// base has not, or has otherwise: of the status and of its conditions, at any
// depth. The arguments stay as they are; the result may share parts with them.
func WithoutNewGenerations(base, ours any) any {
	if fields, ok := ours.(map[string]any); ok {
		before, _ := base.(map[string]any)
		result := make(map[string]any, len(fields))
		for key, value := range fields {
			if key == observedGeneration && value != before[key] {
				continue
			}
			result[key] = WithoutNewGenerations(before[key], value)
		}
		return result
	}
	items, ok := ours.([]any)
	if _, are := conditions(ours); !ok || !are {
		return ours
	}
	beforeItems, _ := conditions(base)
	before := index(beforeItems)
	result := make([]any, len(items))
	for i, item := range items {
		result[i] = WithoutNewGenerations(before[typeOf(item)], item)
	}
	return result
}
