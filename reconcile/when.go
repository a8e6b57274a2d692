package reconcile

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Conditional is a step that others depend on a condition for. Make one with
// [When].
type Conditional[T client.Object] struct {
	name   string
	wanted func(T) bool
	body   child[T]
	err    error
}

// When runs steps, as a [Sequence], for objects for which wanted returns true, and
// undoes them for others:
//
//	reconcile.When((*MyApp).Exposed, service, ingress)
//
// Where wanted has turned false the steps are undone in reverse order, each when
// what the one after it made is gone, as on deletion but with [Run.Retiring] true,
// so that children with a controller reference are deleted too. Until that is done
// When waits; then it continues, and the steps show as ready, for there is nothing
// to be done. That is found out anew in each pass, which sends nothing when there
// is nothing left: no restart leaves something behind. Reporting steps do not run
// while they are not wanted.
//
// Finalizers of the steps are only put on objects that want them, and are taken
// off again when the steps are undone.
//
// wanted must depend on nothing but the object, which it may not change. When the
// object is deleted the steps are undone whatever it says.
func When[T client.Object](wanted func(T) bool, steps ...Step[T]) *Conditional[T] {
	w := &Conditional[T]{name: "when", wanted: wanted, body: newBody(steps)}
	if wanted == nil {
		w.err = errors.New("the function that tells whether the steps are wanted is nil")
	}
	return w
}

// Named gives the step a name, for pictures and for a failure of wanted itself.
// Defaults to "when".
func (w *Conditional[T]) Named(name string) *Conditional[T] {
	w.name = name
	return w
}

// Describe implements [Step].
func (w *Conditional[T]) Describe() Description {
	return Description{
		Name: w.name, Kind: "When", Err: w.err,
		Steps: []Description{w.body.about.guardedWhen(func(object client.Object) bool {
			owner, ok := object.(T)
			return ok && w.wanted != nil && w.wanted(owner)
		})},
	}
}

// Reconcile implements [Step].
func (w *Conditional[T]) Reconcile(ctx context.Context, run *Run[T]) (Result, error) {
	if w.wanted(run.Object()) {
		return run.reconcile(ctx, &w.body)
	}
	return run.retire(ctx, &w.body)
}

// Finalize implements [Step].
func (w *Conditional[T]) Finalize(ctx context.Context, run *Run[T]) (Result, error) {
	return run.finalize(ctx, &w.body)
}

// newBody makes one child of several steps.
func newBody[T client.Object](steps []Step[T]) child[T] {
	if len(steps) == 1 {
		return newChild(steps[0])
	}
	return newChild(Sequence(steps...))
}

// guardedWhen returns the description of a step that is only wanted for objects
// for which wanted returns true: so are its finalizers, and those below it.
func (d Description) guardedWhen(wanted func(client.Object) bool) Description {
	if len(d.Finalizers) > 0 {
		within := d.FinalizersWhen
		d.FinalizersWhen = func(object client.Object) bool {
			return wanted(object) && (within == nil || within(object))
		}
	}
	if len(d.Steps) > 0 {
		steps := make([]Description, len(d.Steps))
		for i, step := range d.Steps {
			steps[i] = step.guardedWhen(wanted)
		}
		d.Steps = steps
	}
	return d
}
