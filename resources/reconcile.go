package resources

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// Reconcile implements [reconcile.Step], in the order that [Ensure] tells.
func (c *Child[T, C]) Reconcile(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	slot := c.slot(run)
	if c.when != nil && !c.when(run.Object()) {
		return c.engine.remove(ctx, run, slot)
	}
	desired, err := c.desired(run.Object(), run)
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("build: %w", err)
	}
	if reflect.ValueOf(&desired).Elem().IsZero() {
		return c.engine.remove(ctx, run, slot)
	}
	result, child, err := c.engine.keep(ctx, run, slot, desired)
	if child == nil {
		return result, err
	}
	c.observed.Set(run, child)
	if err != nil || result.Outcome() != reconcile.Continued {
		return result, err
	}
	return c.sweep(ctx, run, slot, client.ObjectKeyFromObject(child.shared))
}

// sweep deletes what the step made under other names, once the child of the name
// that is wanted now is ready: the function that names it may have changed with
// the object or with the operator. It looks once in a process for each name.
func (c *Child[T, C]) sweep(
	ctx context.Context, run *reconcile.Run[T], known *slot[C], name client.ObjectKey,
) (reconcile.Result, error) {
	if known.swept {
		return reconcile.Continue, nil
	}
	// The child itself is there: it need not be looked for.
	var slots []*slot[C]
	for old := known.before; old != nil; old = old.before {
		slots = append(slots, &slot[C]{record: old.record})
	}
	children, err := c.engine.made(ctx, run, slots...)
	if err != nil {
		return reconcile.Result{}, err
	}
	result, err := c.engine.deleteAll(ctx, run, slices.DeleteFunc(children, func(child C) bool {
		return client.ObjectKeyFromObject(child) == name
	}))
	if err == nil && result.Outcome() == reconcile.Continued {
		known.swept, known.before = true, nil
	}
	return result, err
}

// slot returns what is remembered of the child.
func (c *Child[T, C]) slot(run *reconcile.Run[T]) *slot[C] {
	known, ok := c.memory.Get(run)
	if !ok {
		known = &slot[C]{}
		c.memory.Set(run, known)
	}
	return known
}
