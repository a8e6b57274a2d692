package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// holds reports whether the object has one of the pipeline's finalizers.
func (p *Pipeline[T]) holds(object T) bool {
	return slices.ContainsFunc(object.GetFinalizers(), func(name string) bool {
		return slices.Contains(p.finalizers, name)
	})
}

// hold puts the finalizers that are missing on the object, in one write. It
// stops short when it finds that the object is being deleted in the meantime:
// the server accepts no finalizer then, and the caller looks again.
func (p *Pipeline[T]) hold(ctx context.Context, run *Run[T]) error {
	return p.setFinalizers(ctx, run, "add finalizers to", func(have []string) []string {
		if run.Deleting() {
			return have
		}
		for _, name := range p.finalizers {
			if !slices.Contains(have, name) {
				have = append(have, name)
			}
		}
		return have
	})
}

// finalizersStep is the step as which a failed write of finalizers is reported.
const finalizersStep = "finalizers"

// refused ends a pass whose write of finalizers failed: it shows as the failure
// of a step of that name, because an admission webhook that refuses the write is
// what a person has to be told. Nothing follows if the object is gone.
func (p *Pipeline[T]) refused(ctx context.Context, run *Run[T], err error) (Result, error) {
	if errors.Is(err, errGone) {
		return Continue, nil
	}
	run.record(&Description{Name: finalizersStep}, Result{}, err)
	return p.conclude(ctx, run, Result{}, err)
}

// release takes the pipeline's finalizers off the object, in one write. That
// the object is gone already is as good.
func (p *Pipeline[T]) release(ctx context.Context, run *Run[T]) error {
	err := p.setFinalizers(ctx, run, "remove finalizers from", func(have []string) []string {
		return slices.DeleteFunc(have, func(name string) bool {
			return slices.Contains(p.finalizers, name)
		})
	})
	if errors.Is(err, errGone) {
		return nil
	}
	return err
}

// setFinalizers writes what change makes of the object's finalizers, and reads
// the object again, past the cache, when it was changed in the meantime. change
// may work in place.
func (p *Pipeline[T]) setFinalizers(ctx context.Context, run *Run[T], what string, change func([]string) []string) error {
	name := client.ObjectKeyFromObject(run.original)
	for attempt := 1; ; attempt++ {
		have := run.object.GetFinalizers()
		want := change(slices.Clone(have))
		if slices.Equal(have, want) {
			return nil
		}
		err := p.patch(ctx, run, map[string]any{"metadata": map[string]any{"finalizers": want}}, p.toObject)
		switch {
		case err == nil:
			return nil
		case apierrors.IsNotFound(err):
			return errGone
		case !apierrors.IsConflict(err) || attempt == attempts:
			return fmt.Errorf("%s %s %s: %w", what, p.kind, name, err)
		}
		if err := p.refresh(ctx, run); err != nil {
			return err
		}
	}
}
