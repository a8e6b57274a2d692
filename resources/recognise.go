package resources

import (
	"encoding/json"
	"reflect"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// recognise looks at a child of which nothing is remembered, as after a restart,
// and returns a record if it is as wanted already, so that nothing has to be
// sent to find that out. It is as wanted if what the field manager owns of it is
// what would be applied, no more and no less.
//
// Both sides are compared as Go values of the child's type, so that two
// spellings of a quantity are one, with the defaults of atomicDefaults filled in
// on both. Where the server changes what was applied in another way, the child
// is applied once to be sure.
func (e *engine[T, C]) recognise(run *reconcile.Run[T], want *intent[C], live C) (*record[C], error) {
	entry := ownEntry(live, e.manager(run))
	if entry == nil || e.hasFormer(live) {
		return nil, nil
	}
	has, err := ownedFields(live, entry)
	if err != nil {
		return nil, err
	}
	wants, err := e.content(run, want)
	if err != nil {
		return nil, err
	}
	e.inherit(wants, live)
	// No manager owns what identifies an object.
	delete(wants, "apiVersion")
	delete(wants, "kind")
	metadata, _ := wants["metadata"].(map[string]any)
	delete(metadata, "name")
	delete(metadata, "namespace")
	same, err := sameAs[C](wants, has)
	if err != nil || !same {
		return nil, err
	}
	known, err := newRecord(want, live, e.manager(run))
	if err != nil {
		return nil, err
	}
	known.caughtUp() // it came from the cache
	return known, nil
}

// sameAs reports whether two contents are the same child, or part of a child.
// Types that cannot be compared or converted as Go values, for their unexported
// fields or odd maps, are compared as JSON.
func sameAs[C client.Object](a, b map[string]any) (same bool, err error) {
	child := reflect.TypeFor[C]().Elem()
	x, y := reflect.New(child).Interface(), reflect.New(child).Interface()
	_, isUnstructured := x.(runtime.Unstructured)
	if isUnstructured ||
		runtime.DefaultUnstructuredConverter.FromUnstructured(a, x) != nil ||
		runtime.DefaultUnstructuredConverter.FromUnstructured(b, y) != nil {
		return sameJSON(a, b)
	}
	defer func() {
		if recover() != nil {
			same, err = sameJSON(a, b)
		}
	}()
	fillAtomicDefaults(reflect.ValueOf(x))
	fillAtomicDefaults(reflect.ValueOf(y))
	return equality.Semantic.DeepEqual(x, y), nil
}

// sameJSON compares two contents whose numbers may be of different Go types.
func sameJSON(a, b map[string]any) (bool, error) {
	x, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	y, err := json.Marshal(b)
	return string(x) == string(y), err
}
