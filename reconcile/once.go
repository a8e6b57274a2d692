package reconcile

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Once returns the step such that it runs once for each generation of the object,
// that is, again when the spec has changed: in each pass until it has returned
// [Continue], without asking to run again, and then not any more. Where it does
// not run it continues.
//
// What was done is remembered in [Memory], which a restart empties: the step runs
// once more then, so it has to be idempotent, and what costs more than that is
// better a Job. Handles of the step say nothing in passes in which it does not
// run. Undoing is as ever, and has the step run anew. Otherwise it is as [Wrap].
func Once[T client.Object](step Step[T]) Step[T] {
	done := NewMemo[int64]()
	return newWrapper(step, func(ctx context.Context, run *Run[T], next Action[T]) (Result, error) {
		if run.undoing() {
			done.Clear(run)
			return next(ctx, run)
		}
		generation := run.Object().GetGeneration()
		if at, ok := done.Get(run); ok && at == generation {
			return Continue, nil
		}
		result, err := next(ctx, run)
		if err == nil && result == Continue {
			done.Set(run, generation)
		}
		return result, err
	})
}
