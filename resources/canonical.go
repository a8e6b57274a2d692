package resources

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// canonical turns what the author built into the body of an apply, that is,
// into exactly the fields that the author means to own:
//
//   - apiVersion and kind are filled in;
//   - status, managedFields and what only the server sets are dropped;
//   - what is there only because Go structs have zero values is dropped: a field
//     that is a struct and not a pointer to one, is all zero, and may be left out
//     (omitempty, which encoding/json does not do for structs), such as
//     strategy: {}, resources: {}, targetPort: 0, creationTimestamp: null;
//   - the stringData of a Secret is folded into data, as the server does.
//
// raw is desired as encoding/json has it, and prototype tells the kind.
func canonical(raw []byte, desired, prototype client.Object, scheme *runtime.Scheme) (map[string]any, error) {
	gvk, err := apiutil.GVKForObject(prototype, scheme)
	if err != nil {
		return nil, err
	}
	content := map[string]any{}
	// Not encoding/json, which makes a float64 of every number.
	if err := utiljson.Unmarshal(raw, &content); err != nil {
		return nil, err
	}
	if _, ok := desired.(*unstructured.Unstructured); !ok {
		dropZeroStructs(reflect.ValueOf(desired), content)
	}
	content["apiVersion"], content["kind"] = gvk.ToAPIVersionAndKind()
	delete(content, "status")
	metadata, ok := content["metadata"].(map[string]any)
	if !ok {
		return nil, errors.New("metadata is missing")
	}
	for _, field := range []string{
		"managedFields", "resourceVersion", "uid", "generation", "creationTimestamp",
		"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink",
	} {
		delete(metadata, field)
	}
	if gvk.Group == "" && gvk.Kind == "Secret" {
		foldStringData(content)
	}
	return content, nil
}

// foldStringData does to a Secret what the server does: stringData wins.
func foldStringData(secret map[string]any) {
	plain, ok := secret["stringData"].(map[string]any)
	delete(secret, "stringData")
	if !ok || len(plain) == 0 {
		return
	}
	data, _ := secret["data"].(map[string]any)
	if data == nil {
		data = map[string]any{}
		secret["data"] = data
	}
	for key, value := range plain {
		if text, ok := value.(string); ok {
			data[key] = base64.StdEncoding.EncodeToString([]byte(text))
		}
	}
}

var marshalerType = reflect.TypeFor[json.Marshaler]()

// dropZeroStructs deletes from content, the JSON form of value, every field that
// is there only because encoding/json writes the zero value of a struct.
func dropZeroStructs(value reflect.Value, content any) {
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !value.IsNil() {
			dropZeroStructs(value.Elem(), content)
		}
	case reflect.Slice, reflect.Array:
		items, ok := content.([]any)
		if !ok || len(items) != value.Len() {
			return // []byte is a string
		}
		for i := range items {
			dropZeroStructs(value.Index(i), items[i])
		}
	case reflect.Map:
		fields, ok := content.(map[string]any)
		if !ok || value.Type().Key().Kind() != reflect.String {
			return
		}
		for entries := value.MapRange(); entries.Next(); {
			dropZeroStructs(entries.Value(), fields[entries.Key().String()])
		}
	case reflect.Struct:
		fields, ok := content.(map[string]any)
		if !ok || value.Type().Implements(marshalerType) || reflect.PointerTo(value.Type()).Implements(marshalerType) {
			return
		}
		dropZeroFields(value, fields)
	}
}

func dropZeroFields(value reflect.Value, content map[string]any) {
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" && (field.Anonymous || strings.Contains(options, "inline")) {
			dropZeroStructs(value.Field(i), content)
			continue
		}
		if name == "" {
			name = field.Name
		}
		child, ok := content[name]
		if !ok {
			continue
		}
		optional := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		if optional && field.Type.Kind() == reflect.Struct && value.Field(i).IsZero() {
			delete(content, name)
			continue
		}
		dropZeroStructs(value.Field(i), child)
	}
}
