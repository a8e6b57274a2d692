package reconcile

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// all runs steps in order, whatever becomes of them.
type all[T client.Object] struct {
	children []child[T]
}

// All runs every step, in order, whatever the ones before it returned, so that
// one that fails or waits does not freeze the others, and joins the outcomes by
// the rules of [Join]. Finalize does the same in reverse order.
//
// An empty All continues.
func All[T client.Object](steps ...Step[T]) Step[T] {
	return &all[T]{children: newChildren(steps)}
}

// Describe implements [Step].
func (a *all[T]) Describe() Description {
	return Description{Name: "all", Kind: "All", Steps: describeAll(a.children)}
}

// Reconcile implements [Step].
func (a *all[T]) Reconcile(ctx context.Context, run *Run[T]) (Result, error) {
	return inOrder(ctx, run, a.children)
}

// Finalize implements [Step].
func (a *all[T]) Finalize(ctx context.Context, run *Run[T]) (Result, error) {
	var join Join
	for i := len(a.children) - 1; i >= 0; i-- {
		join.Add(run.finalize(ctx, &a.children[i]))
	}
	return join.Outcome()
}
