package status

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// SummarizeUnstructured is [Summarize] for unstructured objects: it keeps the
// conditions in status.conditions and the generation in status.observedGeneration.
// What a condition has beyond the fields of [metav1.Condition], which somebody
// else put there, stays, and so does what is in the list and is no condition. A
// status or a list that is something else altogether is an error.
func SummarizeUnstructured() *Summary[*unstructured.Unstructured] {
	return newSummary("status.SummarizeUnstructured", store[*unstructured.Unstructured](untyped{}))
}

// untyped is the status of an unstructured object.
type untyped struct{}

// before implements store.
func (untyped) before(original *unstructured.Unstructured) ([]metav1.Condition, error) {
	_, list, err := conditionsOf(original)
	return list, err
}

// edit implements store.
func (untyped) edit(object *unstructured.Unstructured, change func(*[]metav1.Condition)) error {
	items, list, err := conditionsOf(object)
	if err != nil {
		return err
	}
	change(&list)
	if items, err = replaced(items, list); err != nil {
		return err
	}
	if object.Object == nil {
		object.Object = map[string]any{}
	}
	status, _ := object.Object["status"].(map[string]any)
	if status == nil {
		status = map[string]any{}
		object.Object["status"] = status
	}
	status["conditions"] = items
	return nil
}

// observe implements store.
func (untyped) observe(object *unstructured.Unstructured) {
	if status, ok := object.Object["status"].(map[string]any); ok {
		status["observedGeneration"] = object.GetGeneration()
	}
}

// conditionsOf returns what is in status.conditions, and the conditions of it.
func conditionsOf(object *unstructured.Unstructured) (items []any, list []metav1.Condition, err error) {
	if status, found := object.Object["status"]; found && status != nil {
		fields, ok := status.(map[string]any)
		if !ok {
			return nil, nil, errors.New("status is not an object")
		}
		if items, ok = fields["conditions"].([]any); !ok && fields["conditions"] != nil {
			return nil, nil, errors.New("status.conditions is not a list")
		}
	}
	for _, item := range items {
		if condition, ok := conditionOf(item); ok {
			list = append(list, condition)
		}
	}
	return items, list, nil
}

// conditionOf returns an item of a list as a condition, and false if it is none.
func conditionOf(item any) (condition metav1.Condition, ok bool) {
	fields, isObject := item.(map[string]any)
	if !isObject {
		return condition, false
	}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &condition)
	return condition, err == nil && condition.Type != ""
}

// replaced returns items with the conditions in it replaced by those of list, new
// ones at the end and those that are not in list left out. Items that say the
// same already, and what is no condition, stay as they are.
func replaced(items []any, list []metav1.Condition) ([]any, error) {
	wanted := make(map[string]*metav1.Condition, len(list))
	for i := range list {
		wanted[list[i].Type] = &list[i]
	}
	seen := make(map[string]bool, len(list))
	result := make([]any, 0, len(list))
	for _, item := range items {
		was, ok := conditionOf(item)
		now := wanted[was.Type]
		switch {
		case !ok, seen[was.Type]:
		case now == nil:
			continue
		case !equality.Semantic.DeepEqual(was, *now):
			var err error
			if item, err = updated(item.(map[string]any), now); err != nil {
				return nil, err
			}
		}
		seen[was.Type] = true
		result = append(result, item)
	}
	for i := range list {
		if seen[list[i].Type] {
			continue
		}
		seen[list[i].Type] = true
		item, err := updated(nil, &list[i])
		if err != nil {
			return nil, err
		}
		result = append(result, item)
	}
	return result, nil
}

// updated returns the fields of a condition, beside those of item that it does
// not have.
func updated(item map[string]any, condition *metav1.Condition) (map[string]any, error) {
	known, err := runtime.DefaultUnstructuredConverter.ToUnstructured(condition)
	if err != nil {
		return nil, fmt.Errorf("encode condition %s: %w", condition.Type, err)
	}
	result := make(map[string]any, len(item)+len(known))
	for key, value := range item {
		result[key] = value
	}
	delete(result, "observedGeneration") // which is left out where it is 0
	for key, value := range known {
		result[key] = value
	}
	return result, nil
}
