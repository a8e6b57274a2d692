package resources

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// observation is the child as a pass found it, copied only if somebody wants to
// have it.
type observation[C client.Object] struct {
	shared C // may be the cache's or a record's: never changed, never handed out

	// exactly says that an apply must find this very version. One that does has
	// changed something if the answer has another.
	exactly bool

	once sync.Once
	copy C
}

// share wraps a child that somebody else may be reading.
func share[C client.Object](child C) *observation[C] {
	return &observation[C]{shared: child}
}

// child returns the pass's own copy, the same one each time, without
// managedFields, which are larger than the rest of most objects.
func (o *observation[C]) child() C {
	o.once.Do(func() {
		if content, ok := any(o.shared).(*unstructured.Unstructured); ok {
			o.copy = any(content.DeepCopy()).(C)
			o.copy.SetManagedFields(nil)
			return
		}
		// A copy of the struct alone, so that what is not wanted is not copied.
		shallow := reflect.New(reflect.TypeFor[C]().Elem())
		shallow.Elem().Set(reflect.ValueOf(o.shared).Elem())
		slim := shallow.Interface().(C)
		slim.SetManagedFields(nil)
		o.copy = slim.DeepCopyObject().(C)
	})
	return o.copy
}
