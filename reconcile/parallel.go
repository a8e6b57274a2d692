package reconcile

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Together is a step that runs others at the same time. Make one with [Parallel].
type Together[T client.Object] struct {
	children []child[T]
	limit    int
	err      error
}

// Parallel runs every step, several at the same time, whatever comes of the
// others, and joins the outcomes by the rules of [Join], in the order in which the
// steps are given and not in that in which they end. It is [All] for steps that
// have to wait for answers, such as those that ensure children.
//
// The steps may read the object but not change it, and may not read what another
// of them observed or set: see [Run]. A panic is the failure of the step that it
// happened in. Reporting steps among them run one after the other, when the turn
// of reporting steps is.
//
// Finalize undoes every step, also at the same time. An empty Parallel continues.
func Parallel[T client.Object](steps ...Step[T]) *Together[T] {
	return &Together[T]{children: newChildren(steps), limit: defaultLimit}
}

// Limit sets how many steps run at the same time. Defaults to 16.
func (p *Together[T]) Limit(n int) *Together[T] {
	if n < 1 {
		p.err = errors.Join(p.err, fmt.Errorf("Limit: %d is less than 1", n))
		n = 1
	}
	p.limit = n
	return p
}

// Describe implements [Step].
func (p *Together[T]) Describe() Description {
	return Description{
		Name: "parallel", Kind: "Parallel", Err: p.err,
		Steps:  describeAll(p.children),
		Before: func(int, int) bool { return false },
	}
}

// Reconcile implements [Step].
func (p *Together[T]) Reconcile(ctx context.Context, run *Run[T]) (Result, error) {
	if run.phase == reporting {
		return inOrder(ctx, run, p.children)
	}
	return p.each(run, func(run *Run[T], c *child[T]) (Result, error) { return run.reconcile(ctx, c) })
}

// Finalize implements [Step].
func (p *Together[T]) Finalize(ctx context.Context, run *Run[T]) (Result, error) {
	return p.each(run, func(run *Run[T], c *child[T]) (Result, error) { return run.finalize(ctx, c) })
}

func (p *Together[T]) each(run *Run[T], method func(*Run[T], *child[T]) (Result, error)) (Result, error) {
	outcomes := make([]ended, len(p.children))
	ready := make([]int, len(p.children))
	for i := range ready {
		ready[i] = i
	}
	crew := crew[T]{limit: p.limit, do: func(run *Run[T], i int) {
		outcomes[i].result, outcomes[i].err = method(run, &p.children[i])
		outcomes[i].there = true
	}}
	crew.work(run, ready)
	var join Join
	for i := range outcomes {
		join.Add(outcomes[i].of(&p.children[i].about))
	}
	return join.Outcome()
}

// inOrder runs steps one after the other, whatever becomes of them.
func inOrder[T client.Object](ctx context.Context, run *Run[T], children []child[T]) (Result, error) {
	var join Join
	defer run.apartFrom()
	for i := range children {
		run.nextTo(i)
		join.Add(run.reconcile(ctx, &children[i]))
	}
	return join.Outcome()
}

// of returns the outcome of a step that must have come to its end.
func (e *ended) of(about *Description) (Result, error) {
	if !e.there {
		return Result{}, &StepError{Step: about.Name, Err: errors.New("the step ended its goroutine instead of returning")}
	}
	return e.result, e.err
}
