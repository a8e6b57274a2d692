package reconcile

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Step is one part of what a controller does for an object of type T.
//
// Steps are made once, at setup, and shared by all workers: an implementation
// must not change after setup and must be safe for concurrent use on different
// objects. What belongs to one pass lives in the [Run].
//
// Most steps are made by [Func], by the combinators of this package, or by the
// packages resources, status and finalizer; implement the interface for a new
// sort of step. All three methods are required: a wrapper that forwards them
// has forwarded everything.
type Step[T client.Object] interface {
	// Describe says what the step is, needs and touches. It is called at setup,
	// must not depend on any object, and returns the same every time.
	Describe() Description

	// Reconcile brings what the step is responsible for into line with
	// run.Object(). It is called in every pass over an object that is not being
	// deleted, must be idempotent, and returns one of the outcomes that the
	// package comment lists. A non-nil error comes with the zero Result.
	Reconcile(ctx context.Context, run *Run[T]) (Result, error)

	// Finalize undoes what Reconcile did, for an object that is being deleted.
	// The steps of a pipeline are finalized in reverse order, each only when the
	// ones after it have returned [Continue]. It must be idempotent: it is called
	// again, also after it returned Continue, until all of the pipeline's
	// finalizers are off the object. Any other outcome than Continue keeps the
	// finalizers and with them the object.
	Finalize(ctx context.Context, run *Run[T]) (Result, error)
}
