package resources

import (
	"crypto/sha256"
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
	raw     []byte // desired as encoding/json has it
	hash    digest
}

// String names the child for error messages: "Deployment demo/web".
func (i *intent[C]) String() string { return fmt.Sprintf("%s %s", i.kind, i.key) }

// intend checks what the author's function built, as far as can be known
// without the server.
func (c *Child[T, C]) intend(run *reconcile.Run[T], desired C) (*intent[C], error) {
	want := &intent[C]{kind: c.kindName(), key: client.ObjectKeyFromObject(desired), desired: desired}
	owner := run.Object()
	if want.key.Namespace == "" {
		want.key.Namespace = owner.GetNamespace()
	}
	switch {
	case want.key.Name == "":
		return nil, reconcile.Terminal(fmt.Errorf("build %s: metadata.name is empty", c.name))
	case owner.GetNamespace() != "" && want.key.Namespace != owner.GetNamespace():
		return nil, reconcile.Terminal(fmt.Errorf(
			"build %s: metadata.namespace is %q, but an owner reference holds only within the owner's namespace %q",
			c.name, want.key.Namespace, owner.GetNamespace()))
	case len(want.key.Name) > validation.DNS1123SubdomainMaxLength:
		return nil, reconcile.WithReason("Invalid", reconcile.Terminal(fmt.Errorf(
			"build %s: metadata.name has %d characters, more than the %d that the API server accepts",
			c.name, len(want.key.Name), validation.DNS1123SubdomainMaxLength)))
	}
	raw, err := c.marshal(desired)
	if err != nil {
		return nil, reconcile.Terminal(fmt.Errorf("build %s: %w", c.name, err))
	}
	want.raw, want.hash = raw, sha256.Sum256(raw)
	return want, nil
}

// marshal returns the child as encoding/json has it. An unstructured one may
// leave its kind to [Child.Kind], but not contradict it.
func (c *Child[T, C]) marshal(desired C) ([]byte, error) {
	content, ok := any(desired).(runtime.Unstructured)
	if !ok {
		return json.Marshal(desired)
	}
	declared := c.prototype.GetObjectKind().GroupVersionKind()
	if built := desired.GetObjectKind().GroupVersionKind(); !built.Empty() && built != declared {
		return nil, fmt.Errorf("apiVersion and kind are those of %s, but the step is for %s", built, declared)
	}
	return json.Marshal(content.UnstructuredContent())
}

// kindName returns the kind of the child for people.
func (c *Child[T, C]) kindName() string {
	if _, ok := any(c.prototype).(runtime.Unstructured); ok {
		return c.prototype.GetObjectKind().GroupVersionKind().Kind
	}
	return reflect.TypeFor[C]().Elem().Name()
}
