package reconcile

import (
	"reflect"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// lookups checks that the indexes by which a step's watches look the reconciled
// kind up are declared, by it or by another step: each such event would be lost.
func (c *checker) lookups(step, root Description) {
	for _, watch := range step.Watches {
		if watch.Index == "" || c.owner == nil {
			continue
		}
		declared := false
		root.Walk(func(other Description) {
			for _, index := range other.Indexes {
				declared = declared || index.Name == watch.Index && c.isOwner(index.Object)
			}
		})
		if !declared {
			c.fault("step %q: no step declares the index %q of the reconciled kind, which a watch looks up", step.Name, watch.Index)
		}
	}
}

// isOwner reports whether a prototype is of the reconciled kind, as the cache
// tells kinds apart.
func (c *checker) isOwner(object client.Object) bool {
	if isNil(object) || reflect.TypeOf(object) != reflect.TypeOf(c.owner) {
		return false
	}
	kind, err := apiutil.GVKForObject(object, c.scheme)
	owner, ownerErr := apiutil.GVKForObject(c.owner, c.scheme)
	return err == nil && ownerErr == nil && kind == owner
}
