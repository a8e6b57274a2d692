package resources

import (
	"context"
	"fmt"
	"reflect"

	"github.com/trueup-dev/trueup/reconcile"
)

// Reconcile implements [reconcile.Step], in the order that [Ensure] tells.
func (c *Child[T, C]) Reconcile(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	slot := c.slot(run)
	if c.when != nil && !c.when(run.Object()) {
		return c.engine.remove(ctx, run, slot)
	}
	desired, err := c.desired(run.Object())
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("build %s: %w", c.engine.step, err)
	}
	if reflect.ValueOf(&desired).Elem().IsZero() {
		return c.engine.remove(ctx, run, slot)
	}
	result, child, err := c.engine.keep(ctx, run, slot, desired)
	if child != nil {
		c.observed.Set(run, child)
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
