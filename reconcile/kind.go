package reconcile

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// objectKind is what there is to know of the reconciled type without an object
// at hand.
type objectKind[T client.Object] struct {
	prototype T     // zero if T is not a pointer to a struct
	status    []int // index of the field Status, nil if there is none
}

func kindOf[T client.Object]() objectKind[T] {
	kind := objectKind[T]{}
	pointer := reflect.TypeFor[T]()
	if pointer.Kind() != reflect.Pointer || pointer.Elem().Kind() != reflect.Struct {
		return kind
	}
	kind.prototype = reflect.New(pointer.Elem()).Interface().(T)
	if field, ok := pointer.Elem().FieldByName("Status"); ok {
		kind.status = field.Index
	}
	return kind
}

// String names the kind for error messages.
func (k objectKind[T]) String() string {
	if _, ok := any(k.prototype).(runtime.Unstructured); ok {
		return k.prototype.GetObjectKind().GroupVersionKind().Kind
	}
	return reflect.TypeFor[T]().Elem().Name()
}

// empty returns a new object that has only a name.
func (k objectKind[T]) empty(name client.ObjectKey) T {
	object := k.prototype.DeepCopyObject().(T)
	object.SetNamespace(name.Namespace)
	object.SetName(name.Name)
	return object
}

// sameStatus reports whether two objects have the same status, where empty and
// unset are the same.
func (k objectKind[T]) sameStatus(a, b T) bool {
	if k.status != nil {
		x := reflect.ValueOf(a).Elem().FieldByIndex(k.status)
		y := reflect.ValueOf(b).Elem().FieldByIndex(k.status)
		// Most of the time they are equal in every respect, which is cheaper to see.
		return reflect.DeepEqual(x.Addr().Interface(), y.Addr().Interface()) ||
			equality.Semantic.DeepEqual(x.Addr().Interface(), y.Addr().Interface())
	}
	if x, ok := any(a).(runtime.Unstructured); ok {
		y := any(b).(runtime.Unstructured)
		return equality.Semantic.DeepEqual(x.UnstructuredContent()["status"], y.UnstructuredContent()["status"])
	}
	return true
}

// statusOf returns the status as it is on the wire, nil if there is none.
func statusOf(object client.Object) (any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	return content["status"], nil
}
