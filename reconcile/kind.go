package reconcile

import (
	"encoding/json"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// objectKind is what there is to know of the reconciled type without an object
// at hand.
type objectKind[T client.Object] struct {
	prototype T     // zero if T is not a pointer to a struct
	status    []int // index of the field Status, nil if there is none
	inline    bool  // the metadata is part of the struct, as in every kind of Kubernetes
}

func kindOf[T client.Object]() objectKind[T] {
	kind := objectKind[T]{}
	if !kind.known() {
		return kind
	}
	pointer := reflect.TypeFor[T]()
	kind.prototype = reflect.New(pointer.Elem()).Interface().(T)
	if field, ok := pointer.Elem().FieldByName("Status"); ok {
		kind.status = field.Index
	}
	meta, ok := pointer.Elem().FieldByName("ObjectMeta")
	kind.inline = ok && len(meta.Index) == 1 && meta.Type == reflect.TypeFor[metav1.ObjectMeta]()
	return kind
}

// known reports whether T is a pointer to a struct.
func (k objectKind[T]) known() bool {
	pointer := reflect.TypeFor[T]()
	return pointer.Kind() == reflect.Pointer && pointer.Elem().Kind() == reflect.Struct
}

// owner returns the prototype, or nil if there is no good one.
func (k objectKind[T]) owner() client.Object {
	if !k.known() || isNil(k.prototype) {
		return nil
	}
	return k.prototype
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
	var object T
	if k.inline { // no prototype has anything that a read would leave there
		object = reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T)
	} else {
		object = k.prototype.DeepCopyObject().(T)
	}
	object.SetNamespace(name.Namespace)
	object.SetName(name.Name)
	return object
}

// workingCopy returns a copy of an object without managedFields, which are larger
// than the rest of most objects and no business of a step's. What the object
// points to may be the cache's; the struct itself must be the caller's alone.
func (k objectKind[T]) workingCopy(object T) T {
	if !k.inline {
		copied := object.DeepCopyObject().(T)
		copied.SetManagedFields(nil)
		return copied
	}
	entries := object.GetManagedFields()
	object.SetManagedFields(nil)
	defer object.SetManagedFields(entries)
	return object.DeepCopyObject().(T)
}

// sameStatus reports whether two objects have the same status, where empty and
// unset are the same. Where that cannot be told it is not.
func (k objectKind[T]) sameStatus(a, b T) bool {
	x, y := k.statusField(a), k.statusField(b)
	// Most of the time they are equal in every respect, which is cheaper to see.
	if reflect.DeepEqual(x, y) {
		return true
	}
	if same, ok := semanticallyEqual(x, y); ok {
		return same
	}
	encodedX, errX := onTheWire(x)
	encodedY, errY := onTheWire(y)
	return errX == nil && errY == nil && equality.Semantic.DeepEqual(encodedX, encodedY)
}

// semanticallyEqual compares two values as far as it can: not ok are types with
// unexported fields, such as protobuf messages, at which the comparison panics.
func semanticallyEqual(x, y any) (same, ok bool) {
	defer func() {
		if recover() != nil {
			same, ok = false, false
		}
	}()
	return equality.Semantic.DeepEqual(x, y), true
}

// statusOf returns the status as it is on the wire, nil if there is none.
func (k objectKind[T]) statusOf(object T) (any, error) { return onTheWire(k.statusField(object)) }

// statusField returns a pointer to the status of a typed object, the status of
// an unstructured one, and nil if there is none.
func (k objectKind[T]) statusField(object T) any {
	if k.status != nil {
		return reflect.ValueOf(object).Elem().FieldByIndex(k.status).Addr().Interface()
	}
	if content, ok := any(object).(runtime.Unstructured); ok {
		return content.UnstructuredContent()["status"]
	}
	return nil
}

// onTheWire returns a value as it is when it has been encoded and decoded: all
// integers are int64. It is done by encoding/json, which can do what
// [runtime.DefaultUnstructuredConverter] cannot: maps with keys that are not
// strings, and types with an encoding of their own.
func onTheWire(value any) (any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var decoded any
	if err := utiljson.Unmarshal(data, &decoded); err != nil {
		return nil, err
	}
	return decoded, nil
}
