package reconcile

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// confirmed is set once the object was seen past the cache.
var confirmed = NewMemo[struct{}]()

// Confirm reports whether the object of the pass still exists and is not being
// deleted, as the API server has it. Ask before bringing about what only the
// object's finalizer has undone: a process may start with a cache that shows an
// object as it was before the process that ran until then has let go of it, and
// what is brought about for it then, nobody would ever undo. After false, do
// nothing and return [Halt]: the watch tells the rest.
//
// It is one read for each object in the life of a process, and so none in a pass
// that has nothing to bring about, if it is asked only where something is. Safe
// for concurrent use.
func (r *Run[T]) Confirm(ctx context.Context) (bool, error) {
	if _, ok := confirmed.Get(r.home); ok {
		return !r.Deleting(), nil
	}
	known := r.Original()
	name := client.ObjectKeyFromObject(known)
	live := known.DeepCopyObject().(T)
	if err := r.home.env.Live.Get(ctx, name, live); err != nil {
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return false, fmt.Errorf("read %T %s: %w", live, name, err)
	}
	if live.GetUID() != known.GetUID() || !live.GetDeletionTimestamp().IsZero() {
		return false, nil
	}
	confirmed.Set(r.home, struct{}{})
	return true, nil
}
