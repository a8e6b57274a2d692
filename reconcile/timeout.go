package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Timeout returns the step with a time limit for each call, forward and
// backward: its context ends then. A step that fails because of that has an error
// with the reason TimedOut, which is retried with backoff like any other; one that
// gets done nevertheless has its own outcome. Of a combinator the steps that the end
// of the context makes fail have errors with that reason. A step that does not heed
// its context is not interrupted. Otherwise it is as [Wrap].
func Timeout[T client.Object](limit time.Duration, step Step[T]) Step[T] {
	var w *wrapper[T]
	w = newWrapper(step, func(ctx context.Context, run *Run[T], next Action[T]) (Result, error) {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		result, err := next(limited, run)
		if err != nil && w.about.leaf() && ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
			return Result{}, WithReason("TimedOut", fmt.Errorf("not done within %s: %w", limit, err))
		}
		return result, err
	})
	if limit <= 0 {
		w.fault(fmt.Errorf("Timeout: %s leaves no time", limit))
	}
	return w
}
