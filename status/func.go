package status

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// FuncStep is a step that computes status with a function. Make one with
// [Func].
type FuncStep[T client.Object] struct {
	name    string
	compute func(T, *reconcile.Run[T])
}

// Func returns a step that lets compute change the status of the object, the
// working copy of the pass, from what the steps observed:
//
//	status.Func(func(app *MyApp, run *reconcile.Run[*MyApp]) {
//		if d, ok := deployment.Observed(run); ok {
//			app.Status.ReadyReplicas = d.Status.ReadyReplicas
//		}
//	})
//
// The status starts as it was read, so what compute leaves alone stays: where
// nothing was observed, because a step failed before, the last known value is
// kept. compute runs in every pass, must not change anything but the status and
// sends no requests. Its name is "status" unless [FuncStep.Named] gives it
// another, as it must where a pipeline has several.
func Func[T client.Object](compute func(object T, run *reconcile.Run[T])) *FuncStep[T] {
	return &FuncStep[T]{name: "status", compute: compute}
}

// Named gives the step its name.
func (s *FuncStep[T]) Named(name string) *FuncStep[T] {
	s.name = name
	return s
}

// Describe implements [reconcile.Step].
func (s *FuncStep[T]) Describe() reconcile.Description {
	about := reconcile.Description{Name: s.name, Kind: "status.Func", Reporting: true}
	if s.compute == nil {
		about.Err = errors.New("the function is nil")
	}
	return about
}

// Reconcile implements [reconcile.Step]: it calls the function.
func (s *FuncStep[T]) Reconcile(_ context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	s.compute(run.Object(), run)
	return reconcile.Continue, nil
}

// Finalize implements [reconcile.Step]: there is nothing to undo.
func (s *FuncStep[T]) Finalize(context.Context, *reconcile.Run[T]) (reconcile.Result, error) {
	return reconcile.Continue, nil
}
