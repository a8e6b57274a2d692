package resources

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// ownEntry returns what a manager owns through apply, not counting
// subresources, nil if nothing.
func ownEntry(object client.Object, manager string) *metav1.ManagedFieldsEntry {
	entries := object.GetManagedFields()
	for i := range entries {
		entry := &entries[i]
		if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply &&
			entry.Subresource == "" && entry.FieldsV1 != nil {
			return entry
		}
	}
	return nil
}

// ownedFields returns the part of an object that an entry of its managedFields
// speaks of, as it is in JSON. It may share parts with the object.
func ownedFields(object client.Object, entry *metav1.ManagedFieldsEntry) (map[string]any, error) {
	set := &fieldpath.Set{}
	if err := set.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
		return nil, fmt.Errorf("read managedFields of %s: %w", entry.Manager, err)
	}
	content, err := contentOf(object)
	if err != nil {
		return nil, err
	}
	fields, _ := owned(set, content).(map[string]any)
	return fields, nil
}

// contentOf returns an object as it is in JSON, not to be changed.
func contentOf(object client.Object) (map[string]any, error) {
	if content, ok := object.(runtime.Unstructured); ok {
		return content.UnstructuredContent(), nil
	}
	if content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object); err == nil {
		return content, nil
	}
	// There are types that the converter does not know what to do with, such as
	// maps whose keys are numbers.
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	content := map[string]any{}
	return content, utiljson.Unmarshal(data, &content)
}

// owned returns the part of a value that a set of fields selects. It needs no
// schema: the set says itself what is a map, what is a list with keys, and what
// is owned as a whole. Fields that are not there are left out. The items of a
// list keep their order.
func owned(set *fieldpath.Set, content any) any {
	switch content := content.(type) {
	case map[string]any:
		return ownedOfMap(set, content)
	case []any:
		items := make([]any, 0, len(content))
		for i, item := range content {
			if part, ok := ownedOfItem(set, i, item); ok {
				items = append(items, part)
			}
		}
		return items
	}
	return content
}

func ownedOfMap(set *fieldpath.Set, content map[string]any) map[string]any {
	fields := make(map[string]any, set.Members.Size())
	for element := range set.Members.All() {
		if element.FieldName == nil {
			continue
		}
		if field, ok := content[*element.FieldName]; ok {
			fields[*element.FieldName] = field
		}
	}
	for element := range set.Children.All() {
		if element.FieldName == nil {
			continue
		}
		if field, ok := content[*element.FieldName]; ok {
			below, _ := set.Children.Get(element)
			fields[*element.FieldName] = owned(below, field)
		}
	}
	return fields
}

// ownedOfItem returns the owned part of an item of a list, and false if the set
// does not select the item. One that the set selects without naming any of its
// fields is owned as a whole.
func ownedOfItem(set *fieldpath.Set, index int, item any) (part any, ok bool) {
	// The iterators of fieldpath (structured-merge-diff 6.4.2) do not stand a
	// loop that is left early.
	for element := range set.Members.All() {
		if !ok && selects(element, index, item) {
			part, ok = item, true
		}
	}
	for element := range set.Children.All() {
		if selects(element, index, item) {
			below, _ := set.Children.Get(element)
			part, ok = owned(below, item), true
		}
	}
	return part, ok
}

// selects reports whether a path element stands for an item of a list.
func selects(element fieldpath.PathElement, index int, item any) bool {
	switch {
	case element.Index != nil:
		return *element.Index == index
	case element.Value != nil:
		return value.Equals(*element.Value, value.NewValueInterface(item))
	case element.Key != nil:
		fields, ok := item.(map[string]any)
		if !ok {
			return false
		}
		for _, key := range *element.Key {
			field, ok := fields[key.Name]
			if !ok || !value.Equals(key.Value, value.NewValueInterface(field)) {
				return false
			}
		}
		return true
	}
	return false
}
