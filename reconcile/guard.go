package reconcile

import (
	"context"
	"errors"
	"runtime/debug"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// guard lets a step work, or be undone, and makes a panic its error.
func guard[T client.Object](ctx context.Context, run *Run[T], c *child[T], undo bool) (result Result, err error) {
	defer func() { // one, and not [Recover] deferred besides: this is called for every step
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
		}
		if err == nil {
			return
		}
		err = speaking(err)
		result.outcome, result.reason, result.message = Continued, "", ""
		if c.about.leaf() || hasOwn(err) {
			tellPanic(ctx, c.about.Name, err)
		}
	}()
	if undo {
		return c.step.Finalize(ctx, run)
	}
	return c.step.Reconcile(ctx, run)
}

// speaking returns an error, or in the place of one that panics when it is asked for
// its text, as that of a nil pointer may, the panic.
func speaking(err error) (told error) {
	defer Recover(&told)
	_ = err.Error()
	return err
}

// tellPanic logs an error if it is a panic.
func tellPanic(ctx context.Context, step string, err error) {
	if stack := stackOf(err); stack != nil {
		log.FromContext(ctx).Error(err, "step panicked", "step", step, "stack", string(stack))
	}
}

// stackOf returns the stack of an error that is a panic, else nil.
func stackOf(err error) []byte {
	if failure, ok := errors.AsType[*PanicError](err); ok {
		return failure.Stack
	}
	return nil
}

// withoutPanics returns a function of values that finds nothing where the author's
// panics, which is logged: it is called by the cache, where a panic ends the process,
// and would again after each restart, because of a single object.
func withoutPanics(what string, values client.IndexerFunc) client.IndexerFunc {
	return func(object client.Object) []string {
		found, err := recoveredValues(values, object)
		if err != nil {
			log.Log.Error(err, "compute values", "of", what, "object", client.ObjectKeyFromObject(object), "stack", string(stackOf(err)))
		}
		return found
	}
}

func recoveredValues(values client.IndexerFunc, object client.Object) (found []string, err error) {
	defer Recover(&err)
	return values(object), nil
}
