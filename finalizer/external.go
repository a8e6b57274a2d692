package finalizer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

const (
	defaultEvery   = 10 * time.Minute
	defaultTimeout = 30 * time.Second

	// lookAgain is how soon a step looks again at what the system is busy with.
	lookAgain = 10 * time.Second
)

// An ExternalStep is a step that keeps one thing outside the cluster, and the
// handle through which later steps see it. Make one with [External]. The chained
// methods are for setup; after that it is safe for concurrent use.
type ExternalStep[T client.Object, S any] struct {
	guard   guard[T]
	system  System[T, S]
	every   time.Duration
	timeout time.Duration
	byID    bool
	memory  *reconcile.Memo[*memory[S]]
	seen    *reconcile.Value[Thing[S]]
	err     error
}

// External returns a step that keeps one thing in a system outside the cluster
// for each object, under the finalizer of the given name:
//
//	record := finalizer.External("apps.example.com/dns", zone)
//
// It is made for things whose id the system chooses, so that nothing but a
// stored word tells whose they are. A pass goes in this order:
//
//  1. Before any step runs, the finalizer and the token are stored on the object,
//     in one write. The token is made of the object's UID.
//  2. The thing is observed, by its id or else by its token, unless that was done
//     less than [ExternalStep.Every] ago. If the object that the pass works on
//     does not say the id and this process has not read it before, it is first
//     read past the cache, which may not show what a former process stored.
//  3. If there is none, it is created with the token, and its id is stored on the
//     object at once.
//  4. If it does not match, it is updated and observed once more.
//
// So an operator that crashes after any of these finds the thing again by its
// token and stores the id then; it is not created twice. A system that cannot be
// asked for a token needs [ExternalStep.ByIDOnly].
//
// On deletion the thing is observed, deleted if it is there, and observed until
// it is gone; only then does the step let go of the finalizer. Delete is called
// once, and again only after an error or a restart. What is not there counts as
// released.
//
// Errors of the system are retried with backoff and show in the step's condition
// and in an event, with the reasons ObserveFailed, CreateFailed, UpdateFailed and
// ReleaseFailed. An error never counts as "not there". With [reconcile.Terminal]
// an error waits for a change of the object.
//
// The token and the id are annotations of the object, named after the finalizer:
// apps.example.com/dns-token and apps.example.com/dns-id. They are not in the
// status because a status is what can be found out anew, and is dropped by tools
// that restore objects from a backup or a manifest; the id cannot. Unlike a field
// of the spec they are not the user's to set, and unlike both every kind has
// them. An id counts only beside a token that has the object's own UID in it, so
// that an object that was made by copying another does not lay hands on the
// other's thing. For people and status columns, copy the id to the status with
// [ExternalStep.Observed].
//
// What stands after the slash is the step's name; its condition is made of that.
func External[T client.Object, S any](name string, system System[T, S]) *ExternalStep[T, S] {
	step := &ExternalStep[T, S]{
		guard:   guard[T]{finalizer: name},
		system:  system,
		every:   defaultEvery,
		timeout: defaultTimeout,
		memory:  reconcile.NewMemo[*memory[S]](),
		seen:    reconcile.NewValue[Thing[S]](),
	}
	if system == nil {
		step.err = errors.New("the system is nil")
	}
	return step
}

// When says which objects want the thing. From others it is released as on
// deletion, and then the finalizer and the annotations are taken off; an object
// that never wanted it has none. Defaults to all.
func (s *ExternalStep[T, S]) When(wanted func(T) bool) *ExternalStep[T, S] {
	s.guard.when(wanted)
	return s
}

// FormerNames are names that the finalizer had in earlier versions of the
// operator, as [FuncStep.FormerNames]. The token and the id are taken over from
// the annotations of the former name, in the write that replaces the finalizer.
func (s *ExternalStep[T, S]) FormerNames(names ...string) *ExternalStep[T, S] {
	s.guard.former = append(s.guard.former, names...)
	return s
}

// Every sets how often the thing is observed though nothing wakes the object: how
// long it takes to notice what somebody does to it. What is observed is also not
// asked for again within that time, however often something wakes the object;
// whether it matches is checked in every pass. Defaults to 10 minutes.
func (s *ExternalStep[T, S]) Every(interval time.Duration) *ExternalStep[T, S] {
	if interval <= 0 {
		s.err = errors.Join(s.err, fmt.Errorf("Every: %s is not a time to wait", interval))
	}
	s.every = interval
	return s
}

// Timeout bounds each call of the system, so that one that hangs holds up no
// worker. A call that is cut off has failed, and whether a Create made something
// is open then. Defaults to 30 seconds.
func (s *ExternalStep[T, S]) Timeout(limit time.Duration) *ExternalStep[T, S] {
	if limit <= 0 {
		s.err = errors.Join(s.err, fmt.Errorf("Timeout: %s leaves no time", limit))
	}
	s.timeout = limit
	return s
}

// ByIDOnly is for a system that cannot be asked for a token: Observe is only
// called with an id then. The token is stored in a write of its own right before
// Create, and not with the finalizer, because then it says that Create may have
// been called. Where it stands without an id, after a crash or an error that is
// not [NotCreated], nobody can tell whether there is a thing: the step is stalled
// with the reason CreateOutcomeUnknown, on deletion too, and neither creates nor
// lets go until a person has looked and
//
//   - annotates the object with the id of what was found
//     (kubectl annotate myapp web apps.example.com/dns-id=…), or
//   - removes the token because there is nothing
//     (kubectl annotate myapp web apps.example.com/dns-token-).
//
// Defaults to looking for the token.
func (s *ExternalStep[T, S]) ByIDOnly() *ExternalStep[T, S] {
	s.byID = true
	return s
}

// Observed returns what this pass knows of the thing, and false if there is none
// or the step has not run. Its State may be shared with later passes: it must not
// be changed.
func (s *ExternalStep[T, S]) Observed(run *reconcile.Run[T]) (Thing[S], bool) { return s.seen.Get(run) }

// Describe implements [reconcile.Step].
func (s *ExternalStep[T, S]) Describe() reconcile.Description {
	about := s.guard.describe("finalizer.External")
	about.Condition = reconcile.ConditionType(about.Name)
	about.Annotations = func(object client.Object) map[string]string { return s.stored(object) }
	about.Err = errors.Join(about.Err, s.err)
	for _, problem := range validation.IsQualifiedName(tokenKey(s.guard.finalizer)) {
		about.Err = errors.Join(about.Err, fmt.Errorf("annotation %q: %s", tokenKey(s.guard.finalizer), problem))
	}
	return about
}

// Reconcile implements [reconcile.Step], in the order that [External] tells.
func (s *ExternalStep[T, S]) Reconcile(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	if s.guard.needed(run.Object()) {
		return s.keep(ctx, run)
	}
	return s.drop(ctx, run)
}

// drop releases what is not wanted any more, and forgets it.
func (s *ExternalStep[T, S]) drop(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	if !s.guard.held(run.Object()) {
		return reconcile.Continue, nil
	}
	result, err := s.release(ctx, run)
	if err != nil || result.Outcome() != reconcile.Continued {
		return result, err
	}
	s.memory.Clear(run)
	return result, run.Annotate(ctx, s.forgotten())
}

// Finalize implements [reconcile.Step]: it releases the thing.
func (s *ExternalStep[T, S]) Finalize(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	if run.Retiring() {
		return s.drop(ctx, run)
	}
	if s.guard.wanted != nil && !s.guard.held(run.Object()) {
		return reconcile.Continue, nil
	}
	return s.release(ctx, run)
}
