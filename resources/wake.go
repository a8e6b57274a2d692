package resources

import (
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// wantedIndex finds the owners, in the cache, that want a child of a name.
const wantedIndex = "trueup.dev/wanted"

// wakeWhenFree makes the events of an object that is in the way wake those that
// want a child of its name: the controller reference, by which the events of a
// child wake its owner, tells of somebody else, if there is any. Unstructured
// owners, whose kind is not known to a step, and children that depend on more than
// their owner are left to the poll.
func (e *engine[T, C]) wakeWhenFree(about *reconcile.Description) {
	pointer := reflect.TypeFor[T]()
	if e.wants == nil || pointer.Kind() != reflect.Pointer || pointer.Elem().Kind() != reflect.Struct {
		return
	}
	owner := reflect.New(pointer.Elem()).Interface().(T)
	if _, ok := any(owner).(runtime.Unstructured); ok {
		return
	}
	name := wantedIndex + "/" + e.step
	about.Indexes = append(about.Indexes, reconcile.Index{Object: owner, Name: name, Values: e.wantedNames})
	about.Watches = append(about.Watches, reconcile.Watch{Object: e.prototype, Index: name, Values: nameInTheWay})
}

// wantedNames computes the values of wantedIndex: it asks the author's function,
// of which nothing is taken but the names.
func (e *engine[T, C]) wantedNames(object client.Object) (names []string) {
	owner, ok := object.(T)
	if !ok {
		return nil
	}
	var failure error
	defer func() {
		if failure != nil {
			names = nil // the pass over the object will tell
		}
	}()
	defer reconcile.Recover(&failure)
	// The object is the cache's own, and the author's function is not to be trusted
	// with that.
	for _, child := range e.wants(owner.DeepCopyObject().(T)) {
		if reflect.ValueOf(&child).Elem().IsZero() {
			continue
		}
		key := client.ObjectKeyFromObject(child)
		if key.Namespace == "" && e.detached == "" {
			key.Namespace = owner.GetNamespace()
		}
		names = append(names, key.String())
		if key.Namespace == "" && e.shared { // whether the kind is in namespaces is not known here
			key.Namespace = owner.GetNamespace()
			names = append(names, key.String())
		}
	}
	return names
}

// nameInTheWay returns the name under which an object may be in the way of
// somebody.
func nameInTheWay(object client.Object) []string {
	return []string{client.ObjectKeyFromObject(object).String()}
}
