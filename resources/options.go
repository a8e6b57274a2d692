package resources

import (
	"errors"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// init finds out what the type of the children tells.
func (e *engine[T, C]) init() error {
	pointer := reflect.TypeFor[C]()
	if pointer.Kind() != reflect.Pointer || pointer.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("the child's type %s is not a pointer to a struct", pointer)
	}
	e.prototype = reflect.New(pointer.Elem()).Interface().(C)
	e.step = pointer.Elem().Name()
	e.builtIn = isBuiltIn(pointer.Elem())
	return nil
}

func (e *engine[T, C]) setKind(gvk schema.GroupVersionKind) error {
	if _, ok := any(e.prototype).(*unstructured.Unstructured); !ok {
		return fmt.Errorf("Kind: is for unstructured children; %T has its own", e.prototype)
	}
	e.prototype.GetObjectKind().SetGroupVersionKind(gvk)
	e.step = gvk.Kind
	return nil
}

func (e *engine[T, C]) setReadiness(test func(C) Readiness, faults []error) error {
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("ReadyWhen: %w", err)
	}
	if test == nil {
		return errors.New("ReadyWhen: the function is nil")
	}
	e.readiness = test
	return nil
}

func (e *engine[T, C]) setDetached(finalizer string) error {
	if finalizer == "" {
		return errors.New("Detached: the finalizer is empty")
	}
	return e.tie("Detached", finalizer)
}

// tie ties children to the owner by marks and a finalizer.
func (e *engine[T, C]) tie(option, finalizer string) error {
	if e.detached != "" {
		return errors.New(option + ": the step is Detached or a Share already; it can be one of the two, once")
	}
	e.detached = finalizer
	return nil
}
