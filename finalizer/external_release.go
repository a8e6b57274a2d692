package finalizer

import (
	"context"
	"fmt"

	"github.com/trueup-dev/trueup/reconcile"
)

// release deletes the thing, if there is one, and waits until it is gone. A create
// of this process whose answer was lost is given time to take effect first.
func (s *ExternalStep[T, S]) release(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	known := s.remembered(run)
	if known.released {
		return reconcile.Continue, nil
	}
	at, _, err := s.identify(ctx, run, known)
	if err != nil {
		return reconcile.Result{}, err
	}
	if s.byID && at.ID == "" {
		if at.Token != "" {
			return s.unknown(at), nil
		}
		known.released = true // nothing was ever made
		return reconcile.Continue, nil
	}
	thing, err := s.lookNow(ctx, run, known, at)
	if err != nil {
		return reconcile.Result{}, err
	}
	if thing != nil && !known.deleting {
		at.ID = thing.ID
		if err := s.delete(ctx, run, at); err != nil {
			return reconcile.Result{}, err
		}
		known.deleting = true
		if thing, err = s.lookNow(ctx, run, known, at); err != nil {
			return reconcile.Result{}, err
		}
	}
	if thing != nil {
		return reconcile.Wait("Releasing", fmt.Sprintf("%s is being released", thing.ID)).After(lookAgain), nil
	}
	if left := known.doubt.Add(s.timeout).Sub(run.Now()); !known.deleting && left > 0 && !known.doubt.IsZero() {
		return reconcile.Wait("Releasing", "a create that failed may still take effect").After(left), nil
	}
	if known.deleting {
		run.Event(nil, "Released", "Delete", "released %s %s", s.guard.name(), at.ID)
	}
	known.released = true
	return reconcile.Continue, nil
}

// lookNow observes the thing, however lately that was done.
func (s *ExternalStep[T, S]) lookNow(
	ctx context.Context, run *reconcile.Run[T], known *memory[S], at Identity,
) (*Thing[S], error) {
	known.thing, known.made = nil, ""
	return s.look(ctx, run, known, at)
}

func (s *ExternalStep[T, S]) delete(ctx context.Context, run *reconcile.Run[T], at Identity) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	if err := s.system.Delete(ctx, run, at); err != nil {
		return failure("ReleaseFailed", "release", err)
	}
	return nil
}
