package reconcile

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Wrap returns the step with something around it: around is called in place of
// the step's Reconcile and Finalize, and calls next to go on with it, as often as
// it likes, or not at all. Whatever the step says of itself stays: its name, its
// handle, its condition, its watches, indexes, verbs and finalizers, and what it
// is made of.
//
//	reconcile.Wrap(deployment, func(ctx context.Context, run *reconcile.Run[*MyApp], next reconcile.Action[*MyApp]) (reconcile.Result, error) {
//		defer observe(time.Now())
//		return next(ctx, run)
//	})
//
// [Run.Deleting] and [Run.Retiring] tell whether next undoes the step. What around
// returns is the outcome of the step, and what a single step reports; the steps of
// a combinator have reported already. A panic in next goes through around, and is
// the step's failure in the end.
//
// It is called once in a pass, or not, if it is not the step's turn: not for a
// combinator whose reporting steps have their turn, nor while it is held up, see
// [Graph].
func Wrap[T client.Object](step Step[T], around func(ctx context.Context, run *Run[T], next Action[T]) (Result, error)) Step[T] {
	w := newWrapper(step, around)
	if around == nil {
		w.fault(errors.New("Wrap: the function is nil"))
	}
	return w
}

// wrapper is a step with something around it.
type wrapper[T client.Object] struct {
	child[T]
	around func(ctx context.Context, run *Run[T], next Action[T]) (Result, error)
}

func newWrapper[T client.Object](step Step[T], around func(context.Context, *Run[T], Action[T]) (Result, error)) *wrapper[T] {
	return &wrapper[T]{child: newChild(step), around: around}
}

func (w *wrapper[T]) fault(err error) { w.about.Err = errors.Join(w.about.Err, err) }

// Describe implements [Step]: it is the description of the step.
func (w *wrapper[T]) Describe() Description { return w.about }

// Reconcile implements [Step].
func (w *wrapper[T]) Reconcile(ctx context.Context, run *Run[T]) (Result, error) {
	if run.phase != working && !w.about.leaf() {
		return w.step.Reconcile(ctx, run)
	}
	return w.around(ctx, run, w.step.Reconcile)
}

// Finalize implements [Step].
func (w *wrapper[T]) Finalize(ctx context.Context, run *Run[T]) (Result, error) {
	return w.around(ctx, run, w.step.Finalize)
}

// undoing reports whether the step is called to be undone.
func (r *Run[T]) undoing() bool { return r.retired || r.Deleting() }
