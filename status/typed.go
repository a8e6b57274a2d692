package status

import (
	"errors"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// typed is where a function finds the conditions of an object.
type typed[T client.Object] struct {
	conditions func(T) *[]metav1.Condition
	generation observedGeneration
}

// before implements store. A status that is a nil pointer has no conditions, and
// the function, which may make one to find them, is not called for it.
func (s typed[T]) before(original T) ([]metav1.Condition, error) {
	if object := reflect.ValueOf(original).Elem(); object.Kind() == reflect.Struct {
		status := object.FieldByName("Status")
		if status.IsValid() && status.Kind() == reflect.Pointer && status.IsNil() {
			return nil, nil
		}
	}
	if list := s.conditions(original); list != nil {
		return *list, nil
	}
	return nil, nil
}

// edit implements store.
func (s typed[T]) edit(object T, change func(*[]metav1.Condition)) error {
	list := s.conditions(object)
	if list == nil {
		return errors.New("the function that finds the conditions returned nil")
	}
	change(list)
	return nil
}

// observe implements store.
func (s typed[T]) observe(object T) { s.generation.set(object) }
