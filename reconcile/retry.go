package reconcile

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Retry returns the step with up to so many tries in a pass: one that fails with
// an error that is not terminal is tried again after a pause, which doubles each
// time. It is for what fails for a moment and is cheap, because the pauses keep a
// worker busy; what takes longer is better left to the backoff of the queue, in
// which an error ends after the last try. The step reports what came of the last
// try. Waits are not errors, and a panic is a fault
// of the program: neither is tried again. Undoing is tried again
// likewise. Otherwise it is as [Wrap].
//
// The pauses may not add up to more than a minute.
func Retry[T client.Object](tries int, pause time.Duration, step Step[T]) Step[T] {
	w := newWrapper(step, func(ctx context.Context, run *Run[T], next Action[T]) (Result, error) {
		for left, pause := tries-1, pause; ; left, pause = left-1, pause*2 {
			result, err := next(ctx, run)
			if err == nil || left <= 0 || IsTerminal(err) || !sleep(ctx, pause) {
				return result, err
			}
		}
	})
	switch {
	case tries < 1:
		w.fault(fmt.Errorf("Retry: %d tries are less than 1", tries))
	case pause < 0:
		w.fault(fmt.Errorf("Retry: the pause of %s is negative", pause))
	case tries > 20 || tries > 1 && pause > time.Minute || pause*time.Duration(1<<(tries-1)-1) > time.Minute:
		w.fault(fmt.Errorf("Retry: the pauses of %d tries from %s on add up to more than a minute", tries, pause))
	}
	return w
}

// sleep waits, and returns false if the context ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
