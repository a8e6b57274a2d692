package finalizer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// pastDeadline is how often a step that has missed its deadline is tried again.
const pastDeadline = time.Minute

// A DeadlineStep is a step whose undoing has a deadline. Make one with [Within].
type DeadlineStep[T client.Object] struct {
	step  reconcile.Step[T]
	limit time.Duration
	letGo bool
	said  *reconcile.Memo[string]
}

// Within returns the step with a deadline for its undoing when the object is
// deleted:
//
//	finalizer.Within(time.Hour, record).LetGo()
//
// The time is measured from the object's deletionTimestamp by the clock of the
// environment, so that a restart does not begin it anew. Until then the step is
// finalized as ever. From then on it is still tried first, each time; if it is not
// done then, it turns Stalled with the reason DeadlineExceeded and is tried again
// every minute, or, with [DeadlineStep.LetGo], counts as done. A Warning event
// tells, once in a process.
//
// An error that is retried with backoff is looked at when the retry is due, which
// may be a quarter of an hour after the deadline.
//
// Everything else of the step is as it is: its name, its handle, its condition. It
// is for single steps; a combinator is refused at setup. What a step undoes because
// it is not wanted any more, and not because of a deletion, has no deadline.
func Within[T client.Object](limit time.Duration, step reconcile.Step[T]) *DeadlineStep[T] {
	return &DeadlineStep[T]{step: step, limit: limit, said: reconcile.NewMemo[string]()}
}

// LetGo has the object go when the deadline has passed, whatever the step left
// behind: the event says what it was still waiting for. Defaults to staying, as
// Stalled.
func (s *DeadlineStep[T]) LetGo() *DeadlineStep[T] {
	s.letGo = true
	return s
}

// Describe implements [reconcile.Step].
func (s *DeadlineStep[T]) Describe() reconcile.Description {
	if s.step == nil {
		return reconcile.Description{Name: "within", Kind: "finalizer.Within", Err: errors.New("Within: the step is nil")}
	}
	about := s.step.Describe()
	if s.limit <= 0 {
		about.Err = errors.Join(about.Err, fmt.Errorf("Within: %s leaves no time", s.limit))
	}
	if about.Steps != nil {
		about.Err = errors.Join(about.Err, errors.New("Within: is for a single step; give each its own deadline"))
	}
	return about
}

// Reconcile implements [reconcile.Step].
func (s *DeadlineStep[T]) Reconcile(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	return s.step.Reconcile(ctx, run)
}

// Finalize implements [reconcile.Step]: it undoes the step, within limits.
func (s *DeadlineStep[T]) Finalize(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	result, err := s.undo(ctx, run)
	begun := run.Object().GetDeletionTimestamp()
	if err == nil && result.Outcome() == reconcile.Continued || begun.IsZero() {
		return result, err
	}
	if left := begun.Add(s.limit).Sub(run.Now()); left > 0 {
		if err != nil && !reconcile.IsTerminal(err) {
			return reconcile.Result{}, err // it is retried
		}
		return result.After(left), err
	}
	words := s.words(run, result, err)
	if s.letGo {
		return reconcile.Continue, nil
	}
	return reconcile.Wait("DeadlineExceeded", words).Stalled().After(pastDeadline), nil
}

// undo finalizes the step. A panic is an error like others.
func (s *DeadlineStep[T]) undo(ctx context.Context, run *reconcile.Run[T]) (result reconcile.Result, err error) {
	defer reconcile.Recover(&err)
	return s.step.Finalize(ctx, run)
}

// words says what has missed the deadline: the same as long as this process has
// something to say, because the text of an error may be another each time. The
// first time it is told in an event.
func (s *DeadlineStep[T]) words(run *reconcile.Run[T], result reconcile.Result, err error) string {
	if words, ok := s.said.Get(run); ok {
		return words
	}
	words := result.Message()
	if err != nil {
		words = err.Error()
	}
	words = fmt.Sprintf("not undone within %s: %s", s.limit, words)
	s.said.Set(run, words)
	name := s.step.Describe().Name
	if s.letGo { // otherwise the pipeline tells of the step, which is stalled
		run.Warn(nil, "LeftBehind", "Finalize", "%s: %s; it is left behind", name, words)
	}
	return words
}
