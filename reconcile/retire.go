package reconcile

import "context"

// withhold is what becomes of a step that has to wait for another one: it is
// undone if what it keeps is not wanted any more, and is otherwise left alone,
// without a report.
func (r *Run[T]) withhold(ctx context.Context, c *child[T]) (Result, error) {
	if c.about.Unwanted == nil {
		return Continue, nil
	}
	unwanted, err := r.unwanted(c)
	if err != nil {
		tellPanic(ctx, c.about.Name, err)
		return r.finish(c, Result{}, err)
	}
	if !unwanted {
		return Continue, nil
	}
	result, err := r.retiring().perform(ctx, c, true)
	return r.finish(c, result, err)
}

func (r *Run[T]) unwanted(c *child[T]) (unwanted bool, err error) {
	defer Recover(&err)
	return c.about.Unwanted(r.Object()), nil
}

// retire undoes a step that is not wanted any more.
func (r *Run[T]) retire(ctx context.Context, c *child[T]) (Result, error) {
	if r.phase == reporting {
		return Continue, nil
	}
	return r.retiring().finalize(ctx, c)
}

// retiring returns a run in which steps are undone because they are not wanted
// any more, see [Run.Retiring].
func (r *Run[T]) retiring() *Run[T] {
	derived := r.derive()
	derived.phase, derived.retired = working, true
	return derived
}

// Retiring tells Finalize why the step is undone: because it is no longer wanted,
// while the object stays, as when a [When] has turned false, and not because the
// object is being deleted. Nothing else clears up after it then: a child with a
// controller reference, which the garbage collector takes when its owner goes,
// has to be deleted by the step.
//
// Finalize is called in every pass as long as the step is not wanted, so that one
// that has nothing left to undo must find that out cheaply.
func (r *Run[T]) Retiring() bool { return r.retired }
