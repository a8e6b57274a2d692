package reconcile

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// child is a step as its combinator holds it: described once.
type child[T client.Object] struct {
	step    Step[T]
	about   Description
	reports bool // it, or a step below it, is a reporting one
}

func newChild[T client.Object](step Step[T]) child[T] {
	if isNil(step) {
		about := Description{Name: "nil", Kind: "nil", Err: errors.New("the step is nil")}
		if step != nil {
			about.Err = fmt.Errorf("the step is nil, a %T", step)
		}
		step = &FuncStep[T]{about: about}
	}
	about := describe(step)
	return child[T]{step: step, about: about, reports: about.reports()}
}

// describe returns what a step says of itself, or what is wrong with it if it panics.
func describe[T client.Object](step Step[T]) (about Description) {
	err := recoveredFrom(func() error {
		about = step.Describe()
		return nil
	})
	if err != nil {
		about = Description{Name: fmt.Sprintf("%T", step), Kind: "unknown", Err: fmt.Errorf("describe the step: %w", err)}
	}
	return about
}

// isNil reports whether a value is nil, or a nil pointer in an interface.
func isNil(value any) bool {
	if value == nil {
		return true
	}
	pointer := reflect.ValueOf(value)
	return pointer.Kind() == reflect.Pointer && pointer.IsNil()
}

func newChildren[T client.Object](steps []Step[T]) []child[T] {
	children := make([]child[T], len(steps))
	for i, step := range steps {
		children[i] = newChild(step)
	}
	return children
}

func describeAll[T client.Object](children []child[T]) []Description {
	about := make([]Description, len(children))
	for i := range children {
		about[i] = children[i].about
	}
	return about
}

// reconcile runs a child if it belongs to the phase of the pass, and reports.
//
// While reporting, nothing stops: the outcome of a reporting step is joined
// aside, for the pipeline to return in the end, and Continue is what its
// combinator sees.
func (r *Run[T]) reconcile(ctx context.Context, c *child[T]) (Result, error) {
	if r.phase == reporting {
		if !c.reports {
			return Continue, nil
		}
		if !c.about.leaf() {
			return r.perform(ctx, c, false)
		}
		result, err := r.perform(ctx, c, false)
		r.reports.aside(r.finish(c, Continue.After(result.after), err))
		return Continue, nil
	}
	if c.about.Reporting {
		return Continue, nil
	}
	if r.phase == withheld && c.about.leaf() {
		return r.withhold(ctx, c)
	}
	result, err := r.perform(ctx, c, false)
	if err == nil && result.outcome == Continued && result.after == 0 { // most often: nothing to carry on
		if c.about.leaf() {
			r.record(&c.about, Continue, nil)
		}
		return Continue, nil
	}
	return r.finish(c, result, err)
}

// finalize undoes a child and reports. Reporting steps have nothing to undo.
func (r *Run[T]) finalize(ctx context.Context, c *child[T]) (Result, error) {
	if c.about.Reporting {
		return Continue, nil
	}
	result, err := r.perform(ctx, c, true)
	return r.finish(c, result, err)
}

// finish reports on a step and names it in its error. A combinator passes on what
// its steps returned, and has a report only of an error of its own. An error that a step got from [Run.Do] has a name
// already, and the requeue that came with it is kept.
func (r *Run[T]) finish(c *child[T], result Result, err error) (Result, error) {
	if err == nil {
		if c.about.leaf() {
			r.record(&c.about, result, nil)
		}
		return result, nil
	}
	if !c.about.leaf() && !hasOwn(err) {
		return result, err
	}
	return r.blame(c, result, err)
}

// blame names the step in its error.
func (r *Run[T]) blame(c *child[T], result Result, err error) (Result, error) {
	var join Join
	join.Add(result, err) // takes apart what a step got from Run.Do
	var causes []error
	for i, err := range join.errs {
		//nolint:errorlint // one that an author wrapped is the author's
		named, ok := err.(*StepError)
		if ok && !c.about.leaf() {
			continue // reported already
		}
		if !ok {
			named = &StepError{Step: c.about.Name, Err: err}
			join.errs[i] = named
		}
		if named.Step == c.about.Name {
			err = named.Err
		}
		causes = append(causes, err)
	}
	cause := causes[0]
	if len(causes) > 1 {
		cause = &joinedError{errs: causes}
	}
	r.record(&c.about, result, cause)
	return join.Outcome()
}

// hasOwn reports whether an error of a combinator is, or has in it, one of its
// own: of the function that chooses a branch, say, and not of a step.
func hasOwn(err error) bool {
	//nolint:errorlint // one that an author wrapped is the author's
	switch err := err.(type) {
	case *StepError:
		return false
	case *joinedError:
		return slices.ContainsFunc(err.errs, hasOwn)
	}
	return true
}

// record reports on a step.
func (r *Run[T]) record(about *Description, result Result, err error) {
	place := r.reports.roster.place(about.Name, r.step)
	if err == nil && result.outcome == Continued && r.reports.ready(place, &r.memory.failures) {
		return
	}
	var generation int64 // of interest only if something is wrong
	if err != nil || result.stalled {
		generation = r.Object().GetGeneration()
	}
	r.reports.record(place, about, result, err, &r.memory.failures, generation, r.env.now)
}
