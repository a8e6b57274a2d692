package faults

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// variant is a spec that differs from another in one field.
type variant struct {
	name string
	spec map[string]any
}

// variants returns specs that differ from the given one in one field each: with
// another value, or without the field. Whether a spec is valid as a whole is for the
// API server to say.
func variants(schema *apiextensionsv1.JSONSchemaProps, spec map[string]any, values map[string][]any, path ...string) []variant {
	var all []variant
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Properties[name]
		at := append(slices.Clone(path), name)
		if property.Type == "object" && len(property.Properties) > 0 {
			all = append(all, variants(&property, spec, values, at...)...)
			continue
		}
		field := strings.Join(at, ".")
		candidates, ok := values[field]
		if !ok {
			candidates = candidatesOf(&property)
		}
		now, there, _ := unstructured.NestedFieldNoCopy(spec, at...)
		for _, value := range candidates {
			if there && fmt.Sprint(now) == fmt.Sprint(value) {
				continue
			}
			changed := runtime.DeepCopyJSON(spec)
			if unstructured.SetNestedField(changed, value, at...) == nil {
				all = append(all, variant{fmt.Sprintf("%s: %v", field, value), changed})
			}
		}
		if there && !slices.Contains(schema.Required, name) {
			without := runtime.DeepCopyJSON(spec)
			unstructured.RemoveNestedField(without, at...)
			all = append(all, variant{"without " + field, without})
		}
	}
	return all
}

// candidatesOf returns values for a field: those that it may have, its default, the
// ends of its range, and simple ones of its type.
func candidatesOf(schema *apiextensionsv1.JSONSchemaProps) []any {
	var values []any
	for _, raw := range schema.Enum {
		values = append(values, decode(raw.Raw))
	}
	if schema.Default != nil {
		values = append(values, decode(schema.Default.Raw))
	}
	if len(schema.Enum) > 0 {
		return values
	}
	switch schema.Type {
	case "boolean":
		return append(values, true, false)
	case "integer":
		if schema.Minimum != nil {
			values = append(values, int64(*schema.Minimum))
		}
		if schema.Maximum != nil {
			values = append(values, int64(*schema.Maximum))
		}
		return append(values, int64(2), int64(3))
	case "string":
		return append(values, "a", "b")
	case "object":
		values = append(values, map[string]any{})
		if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
			for _, value := range candidatesOf(schema.AdditionalProperties.Schema) {
				values = append(values, map[string]any{"key": value})
			}
			values = append(values, map[string]any{"key": values[len(values)-1].(map[string]any)["key"], "other": "c"})
		}
	case "array":
		values = append(values, []any{})
		if schema.Items != nil && schema.Items.Schema != nil {
			for _, value := range candidatesOf(schema.Items.Schema) {
				values = append(values, []any{value})
			}
		}
	}
	return values
}

// decode reads a value of a schema. Whole numbers are int64, as in objects.
func decode(raw []byte) any {
	holder := &unstructured.Unstructured{}
	data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Value", "value": json.RawMessage(raw)})
	if err != nil || holder.UnmarshalJSON(data) != nil {
		return nil
	}
	return holder.Object["value"]
}
