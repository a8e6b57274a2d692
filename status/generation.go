package status

import (
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// observedGeneration is the way to the field Status.ObservedGeneration from an
// object: the indexes of fields, with pointers in between. Nil if there is none.
type observedGeneration []int

// observedGenerationOf finds the field, an int64 or a pointer to one, also where
// Status is a pointer or embeds what has it.
func observedGenerationOf[T client.Object]() observedGeneration {
	pointer := reflect.TypeFor[T]()
	if pointer.Kind() != reflect.Pointer || pointer.Elem().Kind() != reflect.Struct {
		return nil
	}
	status, ok := pointer.Elem().FieldByName("Status")
	if !ok || pointee(status.Type).Kind() != reflect.Struct {
		return nil
	}
	field, ok := pointee(status.Type).FieldByName("ObservedGeneration")
	if !ok || pointee(field.Type).Kind() != reflect.Int64 {
		return nil
	}
	return append(append(observedGeneration{}, status.Index...), field.Index...)
}

// pointee returns what a pointer points to, and any other type as it is.
func pointee(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// set sets the field to the object's generation. What is nil on the way is made;
// where it cannot be, because it is an embedded type that is not exported, the
// field does not exist.
func (g observedGeneration) set(object client.Object) {
	if g == nil {
		return
	}
	value := reflect.ValueOf(object).Elem()
	for _, index := range g {
		value = value.Field(index)
		if value.Kind() != reflect.Pointer {
			continue
		}
		if value.IsNil() {
			if !value.CanSet() {
				return
			}
			value.Set(reflect.New(value.Type().Elem()))
		}
		value = value.Elem()
	}
	value.SetInt(object.GetGeneration())
}
