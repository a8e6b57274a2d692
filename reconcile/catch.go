package reconcile

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Catch returns the step with a handler for its errors, a panic among them: what
// handle returns takes the place of the step's outcome. It may turn an error into
// a [Wait] or into [Continue], give it a reason, or return it as it is:
//
//	reconcile.Catch(issue, func(_ context.Context, _ *reconcile.Run[*MyApp], err error) (reconcile.Result, error) {
//		if errors.Is(err, acme.ErrRateLimited) {
//			return reconcile.Wait("RateLimited", "the authority wants to be left alone").After(time.Hour), nil
//		}
//		return reconcile.Result{}, err
//	})
//
// Around a combinator handle sees the joined error, and with it a request to run
// again that came beside it goes too, if handle lets it go; the steps have
// reported their errors already.
//
// A panic in handle is joined with the error that it was given, see [Join].
//
// What fails because the context has ended is not caught, and neither is what
// fails while the step is undone: an error there keeps the object, and must not be
// talked away. Otherwise it is as [Wrap].
func Catch[T client.Object](step Step[T], handle func(ctx context.Context, run *Run[T], err error) (Result, error)) Step[T] {
	w := newWrapper(step, func(ctx context.Context, run *Run[T], next Action[T]) (Result, error) {
		if run.undoing() {
			return next(ctx, run)
		}
		result, err := recovered(ctx, run, next)
		if err == nil || ctx.Err() != nil {
			return result, err
		}
		handled := false
		caught, failed := recovered(ctx, run, func(ctx context.Context, run *Run[T]) (Result, error) {
			caught, failed := handle(ctx, run, err)
			handled = true
			return caught, failed
		})
		if handled {
			return caught, failed
		}
		var join Join
		join.Add(result, err)
		join.Add(Result{}, failed)
		return join.Outcome()
	})
	if handle == nil {
		w.fault(errors.New("Catch: the function is nil"))
	}
	return w
}

// recovered calls an action and makes a panic its error.
func recovered[T client.Object](ctx context.Context, run *Run[T], next Action[T]) (result Result, err error) {
	defer Recover(&err)
	return next(ctx, run)
}
