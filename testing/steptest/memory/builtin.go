package memory

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/applyconfigurations"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

var namespaceKind = schema.GroupKind{Kind: "Namespace"}

// builtInFields knows the fields of all kinds of Kubernetes.
var builtInFields = applyconfigurations.NewTypeConverter(clientgoscheme.Scheme)

// uncounted are the kinds with a spec that have no generation.
var uncounted = []string{"Service", "Namespace", "Node", "PersistentVolume", "PersistentVolumeClaim", "ResourceQuota", "LimitRange"}

// newBuiltInKind makes a kind of Kubernetes.
func newBuiltInKind(gvk schema.GroupVersionKind, resource schema.GroupVersionResource, namespaced bool, scheme *runtime.Scheme) (*kind, error) {
	prototype, err := scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	structure := reflect.TypeOf(prototype).Elem()
	_, hasStatus := structure.FieldByName("Status")
	_, hasSpec := structure.FieldByName("Spec")
	blank, err := runtime.DefaultUnstructuredConverter.ToUnstructured(reflect.New(structure).Interface())
	if err != nil {
		return nil, err
	}
	dropEmpty(blank)
	made := &kind{
		blank: blank,
		gvk:   gvk, resource: resource, namespaced: namespaced, prototype: prototype, fields: builtInFields,
		status:  hasStatus,
		counted: hasSpec && !slices.Contains(uncounted, gvk.Kind),
	}
	made.fillIn = func(object *unstructured.Unstructured) { _ = throughType(object, prototype, setDefaults) }
	made.coerce = func(object *unstructured.Unstructured) ([]string, error) {
		return nil, throughType(object, prototype, setDefaults)
	}
	made.allot = func(object, before *unstructured.Unstructured) {
		if gvk.Kind == "Service" && gvk.Group == "" && !hasAddress(object) {
			_ = throughType(object, prototype, func(typed runtime.Object) { allotService(typed, before) })
		}
	}
	made.validate = func(_ context.Context, object, before *unstructured.Unstructured, _ bool) field.ErrorList {
		return validateBuiltIn(gvk.GroupKind(), object, before)
	}
	return made, made.serve()
}

// hasAddress reports whether a Service has all that the server allots.
func hasAddress(service *unstructured.Unstructured) bool {
	spec := nested(service.Object, "spec")
	return spec["clusterIP"] != nil && spec["clusterIPs"] != nil && spec["ipFamilies"] != nil && spec["ipFamilyPolicy"] != nil
}

// throughType gives an object the form that the Go type of its kind gives it: what
// is not in the type is dropped, as are the zero values that the type leaves out.
func throughType(object *unstructured.Unstructured, prototype runtime.Object, change func(runtime.Object)) error {
	typed := reflect.New(reflect.TypeOf(prototype).Elem()).Interface().(runtime.Object)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, typed); err != nil {
		// The converter is not as lenient as JSON is, and gives no good words for a
		// wrong type.
		data, encodeErr := json.Marshal(object.Object)
		if encodeErr != nil {
			return encodeErr
		}
		if err := json.Unmarshal(data, typed); err != nil {
			return fmt.Errorf("%s in version %q cannot be handled as a %s: %w",
				object.GetKind(), object.GroupVersionKind().Version, object.GetKind(), err)
		}
	}
	change(typed)
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		return err
	}
	gvk := object.GroupVersionKind()
	object.Object = content
	object.SetGroupVersionKind(gvk)
	dropEmpty(content)
	return nil
}

// dropEmpty drops what Go's types write although it is empty and the API server
// does not keep: a creationTimestamp of null and an empty status.
func dropEmpty(content map[string]any) {
	if metadata, ok := content["metadata"].(map[string]any); ok {
		if stamp, ok := metadata["creationTimestamp"]; ok && stamp == nil {
			delete(metadata, "creationTimestamp")
		}
	}
	if template := nested(content, "spec", "template", "metadata"); template != nil && template["creationTimestamp"] == nil {
		delete(template, "creationTimestamp")
	}
}

// nested returns a map within a map, nil if there is none.
func nested(content map[string]any, path ...string) map[string]any {
	for _, name := range path {
		below, ok := content[name].(map[string]any)
		if !ok {
			return nil
		}
		content = below
	}
	return content
}
