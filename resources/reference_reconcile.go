package resources

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/reconcile"
)

// Describe implements [reconcile.Step].
func (r *Referent[T, C]) Describe() reconcile.Description {
	about := reconcile.Description{
		Name:      r.step,
		Kind:      "resources.Reference",
		Condition: reconcile.ConditionType(r.step),
		Err:       r.err,
	}
	if reflect.ValueOf(&r.prototype).Elem().IsZero() {
		return about
	}
	if r.keys != nil && about.Err == nil && !hasKeys(r.prototype) {
		about.Err = fmt.Errorf("Keys: is for a Secret or a ConfigMap, not for a %s", r.kindName())
	}
	index := "trueup.dev/reference." + r.step
	about.Indexes = []reconcile.Index{{Object: r.owner, Name: index, Values: r.referred}}
	about.Watches = []reconcile.Watch{{Object: r.prototype, Index: index, Values: func(object client.Object) []string {
		return []string{object.GetNamespace() + "/" + object.GetName()}
	}}}
	about.Access = []reconcile.Access{{Object: r.prototype, Verbs: []string{"list", "watch"}}}
	if _, ok := client.Object(r.prototype).(*unstructured.Unstructured); ok {
		about.Access[0].Verbs = []string{"get", "list", "watch"} // a manager's client reads it past the cache
	}
	return about
}

// referred computes under which values of the index an owner is found. Whether
// the kind is namespaced is not known here, so it is found by the name alone too,
// which only the events of cluster-scoped objects ask for.
//
// The cache calls it, where a panic would end the process; the pass will tell.
func (r *Referent[T, C]) referred(object client.Object) (values []string) {
	owner, ok := object.(T)
	if !ok {
		return nil
	}
	var key client.ObjectKey
	err := func() (err error) {
		defer reconcile.Recover(&err)
		key, ok = r.key(owner)
		return nil
	}()
	if err != nil || !ok {
		return nil
	}
	values = []string{"/" + key.Name}
	if key.Namespace != "" {
		values = append(values, key.String())
	}
	return values
}

// key returns the name of what an owner refers to, and false if it is nothing.
func (r *Referent[T, C]) key(owner T) (client.ObjectKey, bool) {
	object := r.refer(owner)
	if reflect.ValueOf(&object).Elem().IsZero() || object.GetName() == "" {
		return client.ObjectKey{}, false
	}
	key := client.ObjectKeyFromObject(object)
	if key.Namespace == "" {
		key.Namespace = owner.GetNamespace()
	}
	return key, true
}

// Reconcile implements [reconcile.Step], in the order that [Reference] tells.
func (r *Referent[T, C]) Reconcile(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	key, ok := r.key(run.Object())
	if !ok {
		r.sightings.Clear(run)
		return reconcile.Continue, nil
	}
	if err := r.check(run, key); err != nil {
		return reconcile.Result{}, err
	}
	found := r.prototype.DeepCopyObject().(C)
	if err := run.Peek(ctx, key, found); err != nil {
		r.sightings.Clear(run)
		return r.absent(run, key, err)
	}
	seen := &glimpse[C]{object: share(found), sighting: r.sighting(run, found)}
	r.observed.Set(run, seen)
	if missing := missingKeys(found, r.keys); len(missing) > 0 && !r.optional {
		return reconcile.Wait("KeyNotFound", fmt.Sprintf("%s has no %s", r.named(run, key), strings.Join(missing, " and no "))), nil
	}
	if r.readiness == nil {
		return reconcile.Continue, nil
	}
	verdict := seen.sighting.judge(func() Readiness { return r.readiness(r.copied(run, found)) })
	if verdict.Ready {
		return reconcile.Continue, nil
	}
	result := reconcile.Wait(verdict.Reason, fmt.Sprintf("%s: %s", r.named(run, key), verdict.Message))
	if verdict.Failed {
		result = result.Stalled()
	}
	return result, nil
}

// check refuses a name that lacks a namespace where there has to be one.
func (r *Referent[T, C]) check(run *reconcile.Run[T], key client.ObjectKey) error {
	if key.Namespace != "" {
		return nil
	}
	namespaced, err := run.Client().IsObjectNamespaced(r.prototype)
	if err != nil || !namespaced {
		return nil //nolint:nilerr // reading the object will tell what is wrong
	}
	return reconcile.Terminal(fmt.Errorf("%s %s needs a namespace, which neither it nor the object has", r.kindName(), key.Name))
}

// absent returns the outcome for an object that could not be read.
func (r *Referent[T, C]) absent(run *reconcile.Run[T], key client.ObjectKey, err error) (reconcile.Result, error) {
	unknown := meta.IsNoMatchError(err)
	switch {
	case !unknown && !apierrors.IsNotFound(err):
		return reconcile.Result{}, fmt.Errorf("read %s: %w", r.named(run, key), err)
	case r.optional:
		return reconcile.Continue, nil
	case unknown:
		return reconcile.Wait("KindNotInstalled", "the API server does not know the kind "+r.kindName()).After(lookForKind), nil
	}
	return reconcile.Wait("NotFound", r.named(run, key)+" does not exist"), nil
}

// Finalize implements [reconcile.Step]: there is nothing to undo.
func (r *Referent[T, C]) Finalize(context.Context, *reconcile.Run[T]) (reconcile.Result, error) {
	return reconcile.Continue, nil
}

// copied returns a copy for a test of readiness, with the kind, which typed
// objects come without and the test may go by.
func (r *Referent[T, C]) copied(run *reconcile.Run[T], found C) C {
	object := found.DeepCopyObject().(C)
	if gvk, err := apiutil.GVKForObject(r.prototype, run.Scheme()); err == nil {
		object.GetObjectKind().SetGroupVersionKind(gvk)
	}
	return object
}

// named names an object for people: "Secret demo/creds", "StorageClass fast".
func (r *Referent[T, C]) named(run *reconcile.Run[T], key client.ObjectKey) string {
	if namespaced, err := run.Client().IsObjectNamespaced(r.prototype); err == nil && !namespaced {
		key.Namespace = ""
	}
	return fmt.Sprintf("%s %s", r.kindName(), strings.TrimPrefix(key.String(), "/"))
}

func (r *Referent[T, C]) kindName() string {
	if _, ok := any(r.prototype).(runtime.Unstructured); ok {
		return r.prototype.GetObjectKind().GroupVersionKind().Kind
	}
	return reflect.TypeFor[C]().Elem().Name()
}
