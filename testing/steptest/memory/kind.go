package memory

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/storage/names"
)

// kind is what the server knows of a kind: how its objects are decoded, kept and
// checked. It is made once, for all servers, and never changes.
type kind struct {
	gvk        schema.GroupVersionKind
	resource   schema.GroupVersionResource
	namespaced bool
	status     bool // has the subresource
	counted    bool // has a generation
	custom     bool

	// coerce gives a decoded object the form in which it is kept: what is not in
	// the schema is dropped, and defaults are filled in. It returns the unknown fields.
	coerce func(*unstructured.Unstructured) ([]string, error)
	// fillIn fills in defaults.
	fillIn func(*unstructured.Unstructured)
	// allot fills in what the server chooses for a new object.
	allot func(object, before *unstructured.Unstructured)
	// validate checks a new object, or a change of one that was before.
	validate func(ctx context.Context, object, before *unstructured.Unstructured, status bool) field.ErrorList
	// fields converts between objects and their fields, for apply.
	fields managedfields.TypeConverter
	// blank is the content of an object in which nothing is set. That of a built-in
	// kind has the structs that its Go type always has: the fields within them are
	// owned, and not they themselves.
	blank map[string]any
	// prototype is an object of the Go type, nil if there is none.
	prototype runtime.Object

	object, subresource *endpoint
}

// strategy is what the API server asks of a kind: see k8s.io/apiserver/pkg/registry/rest.
type strategy struct {
	*kind
	names.NameGenerator
	runtime.ObjectTyper
	forStatus bool
}

func (s strategy) NamespaceScoped() bool { return s.namespaced }

// PrepareForCreate implements rest.RESTCreateStrategy.
func (s strategy) PrepareForCreate(_ context.Context, obj runtime.Object) {
	object := obj.(*unstructured.Unstructured)
	if s.status {
		delete(object.Object, "status")
		s.fillIn(object)
	}
	if s.counted {
		object.SetGeneration(1)
	}
	s.allot(object, nil)
}

// PrepareForUpdate implements rest.RESTUpdateStrategy.
func (s strategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	object, before := obj.(*unstructured.Unstructured), old.(*unstructured.Unstructured)
	if s.forStatus {
		status, ok := object.Object["status"]
		managed := object.GetManagedFields()
		object.Object = before.DeepCopy().Object
		object.SetManagedFields(managed)
		if ok {
			object.Object["status"] = status
		} else {
			delete(object.Object, "status")
		}
		return
	}
	if s.status {
		if status, ok := before.Object["status"]; ok {
			object.Object["status"] = status
		} else {
			delete(object.Object, "status")
		}
	}
	s.allot(object, before)
	if s.counted && !equality.Semantic.DeepEqual(s.generating(object), s.generating(before)) {
		object.SetGeneration(before.GetGeneration() + 1)
	}
}

// generating returns the part of an object of which each change is a generation:
// the spec, and of a custom resource everything but the metadata.
func (s strategy) generating(object *unstructured.Unstructured) map[string]any {
	part := map[string]any{}
	for name, value := range object.Object {
		if name == "spec" || s.custom && name != "metadata" {
			part[name] = value
		}
	}
	return part
}

// Validate implements rest.RESTCreateStrategy.
func (s strategy) Validate(ctx context.Context, obj runtime.Object) field.ErrorList {
	return s.validate(ctx, obj.(*unstructured.Unstructured), nil, false)
}

// ValidateUpdate implements rest.RESTUpdateStrategy.
func (s strategy) ValidateUpdate(ctx context.Context, obj, old runtime.Object) field.ErrorList {
	return s.validate(ctx, obj.(*unstructured.Unstructured), old.(*unstructured.Unstructured), s.forStatus)
}

func (strategy) WarningsOnCreate(context.Context, runtime.Object) []string { return nil }
func (strategy) WarningsOnUpdate(context.Context, runtime.Object, runtime.Object) []string {
	return nil
}
func (strategy) Canonicalize(runtime.Object)              {}
func (strategy) AllowCreateOnUpdate(context.Context) bool { return false }

// AllowUnconditionalUpdate implements rest.RESTUpdateStrategy.
func (s strategy) AllowUnconditionalUpdate(context.Context) bool { return !s.custom }
