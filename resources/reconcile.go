package resources

import (
	"context"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/reconcile"
)

// Reconcile implements [reconcile.Step], in the order that [Ensure] tells.
func (c *Child[T, C]) Reconcile(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	if c.when != nil && !c.when(run.Object()) {
		return c.remove(ctx, run)
	}
	desired, err := c.desired(run.Object())
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("build %s: %w", c.name, err)
	}
	if reflect.ValueOf(&desired).Elem().IsZero() {
		return c.remove(ctx, run)
	}
	want, err := c.intend(run, desired)
	if err != nil {
		return reconcile.Result{}, err
	}
	live, err := c.look(ctx, run, want)
	if err != nil {
		return reconcile.Result{}, err
	}
	return c.converge(ctx, run, want, live)
}

// converge brings an existing child, or none, to what is wanted.
func (c *Child[T, C]) converge(
	ctx context.Context, run *reconcile.Run[T], want *intent[C], live *observation[C],
) (reconcile.Result, error) {
	for attempt := 1; ; attempt++ {
		if live != nil {
			if result, blocked := c.blocked(run, live.shared); blocked {
				return result, nil
			}
			if known, ok := c.record.Get(run); ok {
				settled, err := known.settles(want, live.shared, run.FieldManager())
				if err != nil {
					return reconcile.Result{}, fmt.Errorf("compare %s: %w", want, err)
				}
				if settled {
					return c.observe(run, known, live), nil
				}
			}
		}
		if err := c.wasRefused(run, want, live); err != nil {
			return reconcile.Result{}, err
		}
		applied, err := c.apply(ctx, run, want, live)
		if err == nil {
			known, err := c.remember(run, want, applied)
			if err != nil {
				return reconcile.Result{}, fmt.Errorf("remember %s: %w", want, err)
			}
			return c.observe(run, known, share(applied)), nil
		}
		if !isRace(err) || attempt == attempts {
			return c.refused(run, want, live, err)
		}
		// The cache was behind: what it showed is not what is there.
		c.record.Clear(run)
		if live, err = c.lookLive(ctx, run, want); err != nil {
			return reconcile.Result{}, err
		}
	}
}

// attempts bounds the tries within a pass. Every one but the first starts from
// a read past the cache.
const attempts = 3

// look returns the child as the cache has it, or as this step last saw it where
// the cache is behind that, or nil if there is none.
func (c *Child[T, C]) look(ctx context.Context, run *reconcile.Run[T], want *intent[C]) (*observation[C], error) {
	cached := c.empty(want.key)
	err := run.Peek(ctx, want.key, cached)
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("read %s: %w", want, err)
	}
	found := err == nil
	known, ok := c.record.Get(run)
	switch {
	case !ok && found:
		return share(cached), nil
	case !ok:
		return nil, nil
	case known.key != want.key:
		c.record.Clear(run) // the child was renamed
		if found {
			return share(cached), nil
		}
		return nil, nil
	case !found:
		// Either the cache has not seen it yet, or it was deleted.
		return c.lookLive(ctx, run, want)
	case known.isAheadOf(cached):
		return share(known.applied), nil
	}
	known.caughtUp()
	return share(cached), nil
}

// lookLive reads the child past the cache; nil means that there is none.
func (c *Child[T, C]) lookLive(ctx context.Context, run *reconcile.Run[T], want *intent[C]) (*observation[C], error) {
	live := c.empty(want.key)
	if err := run.Live().Get(ctx, want.key, live); err != nil {
		if apierrors.IsNotFound(err) {
			c.record.Clear(run)
			return nil, nil
		}
		return nil, fmt.Errorf("read %s: %w", want, err)
	}
	return share(live), nil
}

// observe makes the child known to later steps and says whether it is ready.
func (c *Child[T, C]) observe(run *reconcile.Run[T], known *record[C], child *observation[C]) reconcile.Result {
	c.observed.Set(run, child)
	ready := known.readiness(child, func(copied C) Readiness {
		// Typed objects come without their kind, which tests may go by.
		if gvk, err := apiutil.GVKForObject(c.prototype, run.Scheme()); err == nil {
			copied.GetObjectKind().SetGroupVersionKind(gvk)
		}
		return c.readiness(copied)
	})
	if ready.Ready {
		return reconcile.Continue
	}
	return reconcile.Wait(ready.Reason, ready.Message)
}

// empty returns a child that has only a name.
func (c *Child[T, C]) empty(key client.ObjectKey) C {
	child := c.prototype.DeepCopyObject().(C)
	child.SetNamespace(key.Namespace)
	child.SetName(key.Name)
	return child
}
