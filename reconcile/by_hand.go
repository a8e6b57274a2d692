package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NewRun starts a pass over object inside a handwritten Reconcile, so that a
// single step can be used there:
//
//	run, err := reconcile.NewRun(r.Environment, "myapp", app)
//	if err != nil {
//		return ctrl.Result{}, err
//	}
//	return reconcile.Return(run.Do(ctx, deployment))
//
// The name takes the place of the pipeline's: it is the field manager unless
// the environment names one, and marks the children, so that it must be a DNS
// label. What the caller does with the object, in particular writing its status,
// stays the caller's business; steps may change the status of the object they are
// given. Keep the environment, with its Memory set, from pass to pass.
func NewRun[T client.Object](env Environment, name string, object T) (*Run[T], error) {
	complete, err := env.withDefaults(name)
	if err != nil {
		return nil, err
	}
	if isNil(object) {
		return nil, fmt.Errorf("%s: the object is nil", name)
	}
	if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
		return nil, fmt.Errorf("name %q: %s", name, problems[0])
	}
	complete.Memory = complete.Memory.partOf(name, object)
	run := newRun(complete, name, object, object.DeepCopyObject().(T))
	run.byHand = true
	return run, nil
}

// Do runs a step and reports on it: the way to run one inside a handwritten
// Reconcile, or inside a step that wraps another. A step that was put together
// wrongly is a terminal error, and so are two steps of one name in a combinator, a
// name that cannot mark a child, and outside of a pipeline a finalizer.
//
// In a handwritten Reconcile a reporting step runs when it is called; of a
// combinator the steps that work run first and then those that report, whatever
// came of the others. In a pipeline a reporting step runs only when its turn is.
func (r *Run[T]) Do(ctx context.Context, step Step[T]) (Result, error) {
	child := newChild(step)
	if err := child.about.faults(); err != nil {
		return Result{}, Terminal(err)
	}
	if err := errors.Join(r.unguarded(&child.about), r.nameless(&child.about)); err != nil {
		return Result{}, Terminal(err)
	}
	inner := r.derive() // a step may call Do from several goroutines
	if !r.byHand || r.phase == reporting {
		return inner.reconcile(ctx, &child)
	}
	r.reports.arrange(&child.about)
	inner.listen(ctx)
	var join Join
	join.Add(inner.reconcile(ctx, &child))
	if child.reports {
		join.Add(inner.report(ctx, &child))
	}
	return join.Outcome()
}

// unguarded returns an error if a step that is run by hand needs a finalizer: its
// effect would come about and nobody would undo it.
func (r *Run[T]) unguarded(about *Description) error {
	if !r.byHand {
		return nil
	}
	var err error
	about.Walk(func(about Description) {
		if len(about.Finalizers) > 0 && err == nil {
			err = fmt.Errorf("step %q needs the finalizer %s, which only a pipeline puts on the object", about.Name, about.Finalizers[0])
		}
	})
	return err
}

// nameless returns an error if steps cannot be told from each other by their names, or
// what they make cannot be marked with them.
func (r *Run[T]) nameless(about *Description) error {
	var faults []error
	var taken []string
	about.Walk(func(about Description) {
		if !about.leaf() {
			return
		}
		if len(r.pipeline)+len(".")+len(r.prefix)+len(about.Name) > validation.LabelValueMaxLength {
			faults = append(faults, fmt.Errorf("step %q: name: children are marked as %q, which has more than %d characters",
				about.Name, r.Mark(about.Name), validation.LabelValueMaxLength))
		}
		if about.Name == "" || slices.Contains(taken, about.Name) {
			faults = append(faults, fmt.Errorf("step %q: the name is empty, or taken by another step", about.Name))
		}
		taken = append(taken, about.Name)
	})
	return errors.Join(faults...)
}
