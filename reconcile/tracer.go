package reconcile

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Tracer is told when passes and their steps begin and end, and what they write;
// package tracing has one that makes spans of it. It is called by all workers, and
// is not to hold a pass up.
type Tracer interface {
	// Pass is called when a pass over an object begins. The pass goes on with the
	// context that is returned; the function, unless it is nil, is called when the
	// pass has ended.
	Pass(ctx context.Context, pipeline string, object client.Object) (context.Context, func(Result, error))

	// Step is called when a step that has no child steps begins to work, or to be
	// undone. The step is given the context that is returned; the function, unless
	// it is nil, is called with the outcome.
	Step(ctx context.Context, about *Description, undo bool) (context.Context, func(Result, error))

	// Write is called when a write has been answered, with the context of its
	// request.
	Write(ctx context.Context, write Write)
}
