package reconcile

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Choice is a step that chooses among others. Make one with [Switch].
type Choice[T client.Object] struct {
	name     string
	choose   func(T) string
	branches []Branch[T]
	overlap  bool
	err      error
}

// A Branch is what a [Switch] chooses. Make one with [Case] or [Otherwise].
type Branch[T client.Object] struct {
	name      string
	otherwise bool
	body      child[T]
}

// Case is the branch of a [Switch] for objects for which the choice is name: steps
// that run as a [Sequence].
func Case[T client.Object](name string, steps ...Step[T]) Branch[T] {
	return Branch[T]{name: name, body: newBody(steps)}
}

// Otherwise is the branch of a [Switch] for objects for which no other is chosen.
func Otherwise[T client.Object](steps ...Step[T]) Branch[T] {
	return Branch[T]{name: "otherwise", otherwise: true, body: newBody(steps)}
}

// Switch runs the steps of one branch, the one that choose names, and undoes those
// of all others:
//
//	reconcile.Switch((*MyApp).Mode,
//		reconcile.Case("single", deployment),
//		reconcile.Case("cluster", config, statefulSet),
//	)
//
// The others are undone first, as [When] undoes what is not wanted, the last of
// them first, and the chosen branch runs when nothing of them is left: what the two
// make may have the same name. With [Choice.Overlap] it is the other way around.
// If choose returns what no branch is for, all are undone.
//
// choose must depend on nothing but the object, which it may not change. When the
// object is deleted all branches are undone.
func Switch[T client.Object](choose func(T) string, branches ...Branch[T]) *Choice[T] {
	s := &Choice[T]{name: "switch", choose: choose, branches: branches}
	if choose == nil {
		s.err = errors.New("the function that chooses is nil")
	}
	seen := map[string]bool{}
	for i, branch := range branches {
		if branch.name == "" || seen[branch.name] {
			s.err = errors.Join(s.err, fmt.Errorf("branch %d: the name %q is empty or taken", i, branch.name))
		}
		seen[branch.name] = true
		if branch.body.step == nil {
			s.err = errors.Join(s.err, fmt.Errorf("branch %d is empty; make it with Case or Otherwise", i))
		}
	}
	return s
}

// Named gives the step a name, for pictures and for a failure of choose itself.
// Defaults to "switch".
func (s *Choice[T]) Named(name string) *Choice[T] {
	s.name = name
	return s
}

// Overlap has the chosen branch run first, and the others undone when it has
// returned [Continue], so that what it makes takes over before the others go.
// Defaults to undoing first.
func (s *Choice[T]) Overlap() *Choice[T] {
	s.overlap = true
	return s
}

// Describe implements [Step].
func (s *Choice[T]) Describe() Description {
	about := Description{
		Name: s.name, Kind: "Switch", Err: s.err, Steps: make([]Description, len(s.branches)),
		Before: func(int, int) bool { return false },
	}
	for i := range s.branches {
		about.Steps[i] = s.branches[i].body.about.guardedWhen(func(object client.Object) bool {
			owner, ok := object.(T)
			return ok && s.choose != nil && s.chosen(owner) == i
		})
	}
	return about
}

// chosen returns the index of the branch for an object, -1 if there is none.
func (s *Choice[T]) chosen(object T) int {
	name, chosen := s.choose(object), -1
	for i := range s.branches {
		switch {
		case s.branches[i].otherwise:
			if chosen < 0 {
				chosen = i
			}
		case s.branches[i].name == name:
			return i
		}
	}
	return chosen
}

// Reconcile implements [Step].
func (s *Choice[T]) Reconcile(ctx context.Context, run *Run[T]) (Result, error) {
	chosen := s.chosen(run.Object())
	var join Join
	if s.overlap && chosen >= 0 {
		join.Add(run.reconcile(ctx, &s.branches[chosen].body))
	}
	for i := len(s.branches) - 1; i >= 0 && !join.Stops(); i-- {
		if i != chosen {
			join.Add(run.retire(ctx, &s.branches[i].body))
		}
	}
	if !s.overlap && chosen >= 0 && !join.Stops() {
		join.Add(run.reconcile(ctx, &s.branches[chosen].body))
	}
	return join.Outcome()
}

// Finalize implements [Step].
func (s *Choice[T]) Finalize(ctx context.Context, run *Run[T]) (Result, error) {
	var join Join
	for i := len(s.branches) - 1; i >= 0 && !join.Stops(); i-- {
		join.Add(run.finalize(ctx, &s.branches[i].body))
	}
	return join.Outcome()
}
