package reconcile

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Finally returns the step with a function that is called after it whatever came
// of it, a panic among that, forward and backward: to release what the step holds
// on to for a pass, or to note the outcome. An error of the function, a panic among
// them, is joined with the outcome of the step by the rules of [Join]. Otherwise it is
// as [Wrap].
func Finally[T client.Object](step Step[T], after func(ctx context.Context, run *Run[T], result Result, err error) error) Step[T] {
	w := newWrapper(step, func(ctx context.Context, run *Run[T], next Action[T]) (Result, error) {
		var join Join
		result, err := recovered(ctx, run, next)
		join.Add(result, err)
		join.Add(Result{}, recoveredFrom(func() error { return after(ctx, run, result, err) }))
		return join.Outcome()
	})
	if after == nil {
		w.fault(errors.New("Finally: the function is nil"))
	}
	return w
}

// recoveredFrom calls a function and makes a panic its error.
func recoveredFrom(fn func() error) (err error) {
	defer Recover(&err)
	return fn()
}
