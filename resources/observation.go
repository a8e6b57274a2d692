package resources

import (
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// observation is the child as a pass found it, copied only if somebody wants to
// have it.
type observation[C client.Object] struct {
	shared C // may be the cache's or a record's: never changed, never handed out

	once sync.Once
	copy C
}

// share wraps a child that somebody else may be reading.
func share[C client.Object](child C) *observation[C] {
	return &observation[C]{shared: child}
}

// child returns the pass's own copy: the same one each time.
func (o *observation[C]) child() C {
	o.once.Do(func() { o.copy = o.shared.DeepCopyObject().(C) })
	return o.copy
}
