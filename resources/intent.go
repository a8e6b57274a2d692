package resources

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// intent is what a pass wants the child to be.
type intent[C client.Object] struct {
	kind    string
	key     client.ObjectKey
	desired C
	hash    digest // of desired
}

// String names the child for error messages: "Deployment demo/web".
func (i *intent[C]) String() string { return fmt.Sprintf("%s %s", i.kind, i.key) }

// intend checks what the author's function built, as far as can be known
// without the server.
func (e *engine[T, C]) intend(run *reconcile.Run[T], desired C) (*intent[C], error) {
	want := &intent[C]{kind: e.kindName(), key: e.keyOf(run, desired), desired: desired}
	owner := run.Object()
	switch {
	case want.key.Name == "":
		return nil, reconcile.Terminal(fmt.Errorf("build %s: metadata.name is empty", e.step))
	case e.detached == "" && owner.GetNamespace() != "" && want.key.Namespace != owner.GetNamespace():
		return nil, reconcile.Terminal(fmt.Errorf(
			"build %s: metadata.namespace is %q, but an owner reference holds only within the owner's namespace %q",
			e.step, want.key.Namespace, owner.GetNamespace()))
	case want.key.Namespace == "" && e.needsNamespace(run):
		return nil, reconcile.Terminal(fmt.Errorf(
			"build %s: metadata.namespace is empty, and the owner has none to take its place", e.step))
	case len(want.key.Name) > validation.DNS1123SubdomainMaxLength:
		return nil, reconcile.WithReason("Invalid", reconcile.Terminal(fmt.Errorf(
			"build %s: metadata.name has %d characters, more than the %d that the API server accepts",
			e.step, len(want.key.Name), validation.DNS1123SubdomainMaxLength)))
	}
	hash, err := e.hash(desired)
	if err != nil {
		return nil, reconcile.Terminal(fmt.Errorf("build %s: %w", e.step, err))
	}
	want.hash = hash
	return want, nil
}

// needsNamespace reports whether the kind of the child is certainly namespaced.
func (e *engine[T, C]) needsNamespace(run *reconcile.Run[T]) bool {
	namespaced, err := run.Client().IsObjectNamespaced(e.prototype)
	return err == nil && namespaced
}

// keyOf returns the name of a child that an author built. A child in no namespace
// is in the owner's, and a cluster-scoped one in none.
func (e *engine[T, C]) keyOf(run *reconcile.Run[T], desired C) client.ObjectKey {
	key := client.ObjectKeyFromObject(desired)
	switch {
	case e.detached == "" && key.Namespace == "":
		key.Namespace = run.Object().GetNamespace()
	case e.detached != "" && e.isClusterScoped(run):
		key.Namespace = ""
	case e.shared && key.Namespace == "":
		key.Namespace = run.Object().GetNamespace()
	}
	return key
}

// isClusterScoped reports whether the kind of the child is certainly not
// namespaced.
func (e *engine[T, C]) isClusterScoped(run *reconcile.Run[T]) bool {
	namespaced, err := run.Client().IsObjectNamespaced(e.prototype)
	return err == nil && !namespaced
}

// marshal returns the child as encoding/json has it. An unstructured one may
// leave its kind to [Child.Kind], but not contradict it.
func (e *engine[T, C]) marshal(desired C) ([]byte, error) {
	content, ok := any(desired).(runtime.Unstructured)
	if !ok {
		return json.Marshal(desired)
	}
	declared := e.prototype.GetObjectKind().GroupVersionKind()
	if built := desired.GetObjectKind().GroupVersionKind(); !built.Empty() && built != declared {
		return nil, fmt.Errorf("apiVersion and kind are those of %s, but the step is for %s", built, declared)
	}
	return json.Marshal(content.UnstructuredContent())
}

// kindName returns the kind of the child for people.
func (e *engine[T, C]) kindName() string {
	if _, ok := any(e.prototype).(runtime.Unstructured); ok {
		return e.prototype.GetObjectKind().GroupVersionKind().Kind
	}
	return reflect.TypeFor[C]().Elem().Name()
}
