package steptest

import (
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// objects compares the objects that there are with those that are wanted, as far as
// these tell.
func (b *bench) objects(wanted, gone []client.Object) {
	b.t.Helper()
	all := b.ground.All()
	owners := b.owners(all)
	for _, object := range wanted {
		want := b.unstructured(object)
		got := find(all, want)
		if got == nil {
			b.fault("there is no %s %s", want.GetKind(), want.GetName())
			continue
		}
		tellOwners(want, owners)
		tellOwners(got, owners)
		if diff := cmp.Diff(want.Object, asFar(want.Object, got.Object)); diff != "" {
			b.fault("%s %s (-want +got):\n%s", want.GetKind(), want.GetName(), diff)
		}
	}
	for _, object := range gone {
		if want := b.unstructured(object); find(all, want) != nil {
			b.fault("%s %s is there", want.GetKind(), want.GetName())
		}
	}
}

// unstructured returns an object without what is the server's own.
func (b *bench) unstructured(object client.Object) *unstructured.Unstructured {
	b.t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object.DeepCopyObject())
	if err != nil {
		b.t.Fatal(err)
	}
	made := &unstructured.Unstructured{Object: content}
	made.SetGroupVersionKind(b.kind(object))
	made.SetNamespace("")
	made.SetUID("")
	unstructured.RemoveNestedField(made.Object, "metadata", "creationTimestamp")
	return made
}

// find returns a copy of the object of the same kind and name, nil if there is none.
func find(all []*unstructured.Unstructured, like *unstructured.Unstructured) *unstructured.Unstructured {
	for _, object := range all {
		if object.GroupVersionKind() == like.GroupVersionKind() && object.GetName() == like.GetName() {
			return object.DeepCopy()
		}
	}
	return nil
}

// owners returns what objects are, by their UIDs, and by those that were made up.
func (b *bench) owners(all []*unstructured.Unstructured) map[types.UID]types.UID {
	b.t.Helper()
	names := map[types.UID]types.UID{}
	for _, object := range all {
		names[object.GetUID()] = types.UID(object.GetKind() + " " + object.GetName())
	}
	for _, object := range b.Given {
		if object.GetUID() != "" {
			names[object.GetUID()] = types.UID(b.kind(object).Kind + " " + object.GetName())
		}
	}
	return names
}

func tellOwners(object *unstructured.Unstructured, names map[types.UID]types.UID) {
	owners := object.GetOwnerReferences()
	for i := range owners {
		if name, ok := names[owners[i].UID]; ok {
			owners[i].UID = name
		}
	}
	if len(owners) > 0 {
		object.SetOwnerReferences(owners)
	}
}

// asFar returns of a value what another tells: of maps the fields that this has, of
// lists the items, if it has as many.
func asFar(want, got any) any {
	switch want := want.(type) {
	case map[string]any:
		there, ok := got.(map[string]any)
		if !ok {
			return got
		}
		kept := map[string]any{}
		for name, value := range want {
			if found, ok := there[name]; ok {
				kept[name] = asFar(value, found)
			} else if empty(value) {
				kept[name] = value
			}
		}
		return kept
	case []any:
		there, ok := got.([]any)
		if !ok || len(there) != len(want) {
			return got
		}
		kept := make([]any, len(want))
		for i := range want {
			kept[i] = asFar(want[i], there[i])
		}
		return kept
	case nil:
		return nil
	}
	return got
}

// empty reports whether a value tells nothing: structs and times that are not set are
// written by Go's types.
func empty(value any) bool {
	fields, ok := value.(map[string]any)
	for _, field := range fields {
		if !empty(field) {
			return false
		}
	}
	return ok || value == nil
}
