package world

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// object is a pointer to a kind of object.
type object[V any] interface {
	*V
	client.Object
}

// Find returns an object of the world's namespace, nil if there is none.
func Find[V any, C object[V]](w *World, name string) C {
	w.t.Helper()
	found := C(new(V))
	err := w.User.Get(w.Context(), client.ObjectKey{Namespace: w.Namespace, Name: name}, found)
	if apierrors.IsNotFound(err) {
		return nil
	}
	w.Must(err)
	return found
}

// Get returns one that has to be there.
func Get[V any, C object[V]](w *World, name string) C {
	w.t.Helper()
	found := Find[V, C](w, name)
	if found == nil {
		w.Stop("%T %s does not exist", found, name)
	}
	return found
}

// Update is what somebody does to an object.
func Update[V any, C object[V]](w *World, name string, change func(C)) C {
	w.t.Helper()
	found := Get[V, C](w, name)
	before := found.DeepCopyObject().(client.Object)
	change(found)
	w.Must(w.User.Patch(w.Context(), found, client.MergeFrom(before), client.FieldOwner("somebody")))
	return found
}

// Delete is what somebody does to an object, if it is there still.
func (w *World) Delete(object client.Object, options ...client.DeleteOption) {
	w.t.Helper()
	if object.GetNamespace() == "" {
		object.SetNamespace(w.Namespace)
	}
	w.Must(client.IgnoreNotFound(w.User.Delete(w.Context(), object, options...)))
	w.change()
}

// Gone waits, for the controllers of the cluster, until an object is gone.
func Gone[V any, C object[V]](w *World, name string) bool {
	w.t.Helper()
	return w.Eventually(func() bool { return Find[V, C](w, name) == nil })
}
