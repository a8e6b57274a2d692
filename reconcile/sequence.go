package reconcile

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// sequence runs steps in order.
type sequence[T client.Object] struct {
	children []child[T]
}

// Sequence runs steps one after the other and stops at the first that does not
// return [Continue]; that one's outcome is the sequence's, with the soonest
// requeue that it or a step before it asked for. When all continue, so does the
// sequence. Finalize goes through the steps in reverse by the same rule.
//
// An empty sequence continues.
func Sequence[T client.Object](steps ...Step[T]) Step[T] {
	return &sequence[T]{children: newChildren(steps)}
}

// Describe implements [Step].
func (s *sequence[T]) Describe() Description {
	return Description{Name: "sequence", Kind: "Sequence", Steps: describeAll(s.children)}
}

// Reconcile implements [Step].
func (s *sequence[T]) Reconcile(ctx context.Context, run *Run[T]) (Result, error) {
	var join Join
	defer run.apartFrom()
	for i := range s.children {
		run.nextTo(i)
		result, err := run.reconcile(ctx, &s.children[i])
		if err == nil && result.outcome == Continued && result.after == 0 {
			continue
		}
		join.Add(result, err)
		if join.Stops() {
			break
		}
	}
	return join.Outcome()
}

// Finalize implements [Step].
func (s *sequence[T]) Finalize(ctx context.Context, run *Run[T]) (Result, error) {
	var join Join
	for i := len(s.children) - 1; i >= 0; i-- {
		join.Add(run.finalize(ctx, &s.children[i]))
		if join.Stops() {
			break
		}
	}
	return join.Outcome()
}
