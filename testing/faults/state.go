package faults

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// State is what there is at one moment, for an [Invariant] to look at.
type State struct {
	// Namespace is that of the run.
	Namespace string

	scheme  *runtime.Scheme
	objects []*unstructured.Unstructured
}

// All returns every object. They must not be changed.
func (s State) All() []*unstructured.Unstructured { return s.objects }

// Get fills in the object of the kind and name of the given one, in the namespace of
// the run, and reports whether there is one.
func (s State) Get(into client.Object) bool {
	gvk, err := apiutil.GVKForObject(into, s.scheme)
	if err != nil {
		return false
	}
	for _, object := range s.objects {
		if object.GroupVersionKind() == gvk && object.GetName() == into.GetName() &&
			(object.GetNamespace() == s.Namespace || object.GetNamespace() == "") {
			return runtime.DefaultUnstructuredConverter.FromUnstructured(object.DeepCopy().Object, into) == nil
		}
	}
	return false
}

// List fills in a typed list with all objects of its kind.
func (s State) List(into client.ObjectList) error {
	gvk, err := apiutil.GVKForObject(into, s.scheme)
	if err != nil {
		return err
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	var items []runtime.Object
	for _, object := range s.objects {
		if object.GroupVersionKind() != gvk {
			continue
		}
		item, err := s.scheme.New(gvk)
		if err != nil {
			return err
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.DeepCopy().Object, item); err != nil {
			return err
		}
		items = append(items, item)
	}
	return meta.SetList(into, items)
}
