package reconcile

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// An Action is what a step does: the functions that authors write have this
// shape. It returns one of the outcomes that the package comment lists; a non-nil
// error comes with the zero Result.
type Action[T client.Object] = func(ctx context.Context, run *Run[T]) (Result, error)

// FuncStep is a step made of a function. Make one with [Func].
type FuncStep[T client.Object] struct {
	about    Description
	forward  Action[T]
	backward Action[T]
	undone   *Memo[struct{}] // since it was not wanted any more
}

// Func returns a step that calls fn in every pass over an object that is not
// being deleted, and has nothing to undo. Its condition is the name in
// CamelCase with "Ready" at the end: "dns-record" has DnsRecordReady.
//
// What fn asks of the API server should be declared with [FuncStep.Needs], and
// what should wake it with [FuncStep.Watching].
func Func[T client.Object](name string, fn Action[T]) *FuncStep[T] {
	step := &FuncStep[T]{forward: fn, undone: NewMemo[struct{}](), about: Description{
		Name:      name,
		Kind:      "Func",
		Condition: ConditionType(name),
	}}
	if fn == nil {
		step.about.Err = errors.New("the function is nil")
	}
	return step
}

// Undo sets what undoes the step when the object is deleted, with the outcomes
// that [Step] describes for Finalize. Undoing is only certain to happen with a
// finalizer: see package finalizer. It is also called when the step is not wanted
// any more, see [When], and then not again in this process once it has returned
// [Continue]. Defaults to nothing; nil is refused at setup.
func (s *FuncStep[T]) Undo(fn Action[T]) *FuncStep[T] {
	if fn == nil {
		s.about.Err = errors.Join(s.about.Err, errors.New("Undo: the function is nil"))
	}
	s.backward = fn
	return s
}

// Needs declares what the function asks of the API server.
func (s *FuncStep[T]) Needs(access ...Access) *FuncStep[T] {
	s.about.Access = append(s.about.Access, access...)
	return s
}

// Watching declares what else should wake the object.
func (s *FuncStep[T]) Watching(watches ...Watch) *FuncStep[T] {
	s.about.Watches = append(s.about.Watches, watches...)
	return s
}

// Indexed declares the cache indexes that the function reads by.
func (s *FuncStep[T]) Indexed(indexes ...Index) *FuncStep[T] {
	s.about.Indexes = append(s.about.Indexes, indexes...)
	return s
}

// Describe implements [Step].
func (s *FuncStep[T]) Describe() Description { return s.about }

// Reconcile implements [Step]: it calls the function.
func (s *FuncStep[T]) Reconcile(ctx context.Context, run *Run[T]) (Result, error) {
	if s.backward != nil {
		s.undone.Clear(run)
	}
	return s.forward(ctx, run)
}

// Finalize implements [Step]: it calls the function given to Undo, if any.
func (s *FuncStep[T]) Finalize(ctx context.Context, run *Run[T]) (Result, error) {
	if s.backward == nil {
		return Continue, nil
	}
	if !run.Retiring() {
		return s.backward(ctx, run)
	}
	if _, undone := s.undone.Get(run); undone {
		return Continue, nil
	}
	result, err := s.backward(ctx, run)
	if err == nil && result == Continue {
		s.undone.Set(run, struct{}{})
	}
	return result, err
}
