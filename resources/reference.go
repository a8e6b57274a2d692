package resources

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// A Referent is a step that reads one object which somebody else keeps, and the
// handle through which later steps see it. Make one with [Reference]. T is the
// reconciled object, C what it refers to. The chained methods are for setup;
// after that it is safe for concurrent use.
type Referent[T, C client.Object] struct {
	step      string
	owner     T // zero if T is not a pointer to a struct
	prototype C // zero if C is not a pointer to a struct
	refer     func(T) C
	optional  bool
	keys      []string
	readiness func(C) Readiness // nil: being there is enough
	sightings *reconcile.Memo[*sighting]
	observed  *reconcile.Value[*glimpse[C]]
	err       error
}

// Reference returns a step that declares an object which the reconciled one only
// reads: a Secret, a ConfigMap, a custom resource. Whatever happens to that
// object wakes those that refer to it, which are found by an index, so that it
// costs the same however many owners there are. The kind of the object is the
// name of the step, "Secret", unless [Referent.Named] gives it another, and the
// name makes the type of its condition, "SecretReady".
//
// refer names the object by what it returns: only name and namespace count, and
// the namespace is that of the reconciled object if it sets none. An object
// without a name means the same as nil: none is referred to.
//
//	secret := resources.Reference(func(app *v1.MyApp) *corev1.Secret {
//		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: app.Spec.SecretName}}
//	})
//
// It must depend on nothing but the object, which may be the cache's own: it must
// not change it.
//
// A pass goes in this order:
//
//  1. If none is referred to, the step is done.
//  2. The object is read from the cache by name. One that does not exist, or whose
//     kind is not installed, is waited for, unless the reference is
//     [Referent.Optional]. One that is being deleted is still there.
//  3. A key that was asked for with [Referent.Keys] is waited for likewise.
//  4. With [Referent.ReadyWhen], the step waits until the object is ready.
//
// Nothing is ever written, and nothing is asked of the API server but the watch,
// for which the operator needs list and watch on the kind, in all namespaces that
// its cache has. A client that does not read the kind from its cache needs get as
// well: [reconcile.Pipeline.PolicyRules] has it for unstructured objects, which are
// not read from there by default; who takes another kind out of the cache, by
// [client.CacheOptions], adds it. When the reconciled object is deleted, what it
// refers to does not matter.
func Reference[T, C client.Object](refer func(T) C) *Referent[T, C] {
	r := &Referent[T, C]{
		refer:     refer,
		sightings: reconcile.NewMemo[*sighting](),
		observed:  reconcile.NewValue[*glimpse[C]](),
	}
	if refer == nil {
		r.fault("the function that names the object is nil")
	}
	if owner := reflect.TypeFor[T](); owner.Kind() == reflect.Pointer {
		r.owner = reflect.New(owner.Elem()).Interface().(T)
	}
	pointer := reflect.TypeFor[C]()
	if pointer.Kind() != reflect.Pointer || pointer.Elem().Kind() != reflect.Struct {
		r.fault("the type %s of the object is not a pointer to a struct", pointer)
		return r
	}
	r.prototype = reflect.New(pointer.Elem()).Interface().(C)
	r.step = pointer.Elem().Name()
	return r
}

func (r *Referent[T, C]) fault(format string, args ...any) {
	r.err = errors.Join(r.err, fmt.Errorf(format, args...))
}

// Named gives the step its name. Defaults to the kind of the object.
func (r *Referent[T, C]) Named(name string) *Referent[T, C] {
	r.step = name
	return r
}

// Kind gives the apiVersion and kind of an unstructured object, which its Go
// type does not tell, and makes the kind the step's name. Required for
// unstructured objects, refused for others.
func (r *Referent[T, C]) Kind(gvk schema.GroupVersionKind) *Referent[T, C] {
	if _, ok := any(r.prototype).(*unstructured.Unstructured); !ok {
		r.fault("Kind: is for unstructured objects; %T has its own", r.prototype)
		return r
	}
	r.prototype.GetObjectKind().SetGroupVersionKind(gvk)
	r.step = gvk.Kind
	return r
}

// For sets the prototype of the reconciled object, as [reconcile.Pipeline.For]
// does. It is needed for unstructured ones only.
func (r *Referent[T, C]) For(prototype T) *Referent[T, C] {
	r.owner = prototype
	return r
}

// Optional makes the step go on when the object, or a key of it, does not exist.
// Defaults to waiting for it.
func (r *Referent[T, C]) Optional() *Referent[T, C] {
	r.optional = true
	return r
}

// Keys says which keys of a Secret or ConfigMap are read: those are waited for,
// and only they count in [Referent.Hash]. Defaults to whatever there is.
func (r *Referent[T, C]) Keys(keys ...string) *Referent[T, C] {
	if len(keys) == 0 || slices.Contains(keys, "") {
		r.fault("Keys: a key is empty")
	}
	r.keys = keys
	return r
}

// ReadyWhen sets a test of whether the object is ready, for which the step waits.
// [ReadinessOf] judges it by its kind. The test is called with a copy of the
// object and must depend on nothing else: its answer is kept as long as the
// object's resourceVersion is the same. An error, as of a constructor that makes
// the test, is reported at setup. By default an object is ready that is there.
func (r *Referent[T, C]) ReadyWhen(test func(C) Readiness, err ...error) *Referent[T, C] {
	if fault := errors.Join(err...); fault != nil {
		r.fault("ReadyWhen: %w", fault)
	} else if test == nil {
		r.fault("ReadyWhen: the function is nil")
	}
	r.readiness = test
	return r
}
