package resources

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// intent is what a pass wants the child to be.
type intent[C client.Object] struct {
	step    string
	kind    string
	key     client.ObjectKey
	desired C
	hash    digest // of desired
}

// String names the child in messages: see [nameFor].
func (i *intent[C]) String() string { return nameFor(i.step, i.kind, i.key) }

// nameFor names a child in the messages of a step, which are read behind the name
// of the step: "demo/web" if that is the kind, else "Deployment demo/web".
func nameFor(step, kind string, key client.ObjectKey) string {
	name := strings.TrimPrefix(key.String(), string(types.Separator))
	if step == kind {
		return name
	}
	return kind + " " + name
}

// intend checks what the author's function built, as far as can be known
// without the server.
func (e *engine[T, C]) intend(run *reconcile.Run[T], desired C) (*intent[C], error) {
	want := &intent[C]{step: e.step, kind: e.kindName(), key: e.keyOf(run, desired), desired: desired}
	owner := run.Object()
	switch {
	case want.key.Name == "":
		return nil, reconcile.Terminal(errors.New("build: metadata.name is empty"))
	case e.detached == "" && owner.GetNamespace() != "" && want.key.Namespace != owner.GetNamespace():
		return nil, reconcile.Terminal(fmt.Errorf(
			"build: metadata.namespace is %q, but an owner reference holds only within the owner's namespace %q",
			want.key.Namespace, owner.GetNamespace()))
	case want.key.Namespace == "" && e.needsNamespace(run):
		return nil, reconcile.Terminal(fmt.Errorf(
			"build: metadata.namespace is empty, and the owner has none to take its place"))
	}
	hash, err := e.hash(desired)
	if err != nil {
		return nil, reconcile.Terminal(fmt.Errorf("build: %w", err))
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
