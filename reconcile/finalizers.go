package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// holds reports whether the object has one of the pipeline's finalizers.
func (p *Pipeline[T]) holds(object T) bool {
	return slices.ContainsFunc(object.GetFinalizers(), p.isOurs)
}

// isOurs reports whether a finalizer is the pipeline's, or was.
func (p *Pipeline[T]) isOurs(name string) bool {
	return slices.Contains(p.former, name) || slices.ContainsFunc(p.guards, func(guard Description) bool {
		return slices.Contains(guard.Finalizers, name) || slices.Contains(guard.FormerFinalizers, name)
	})
}

// hold puts the finalizers that are missing on the object, with the annotations
// that go with them, and takes former ones off, in one write. It stops short when
// it finds that the object is being deleted in the meantime: the server accepts
// no finalizer then, and the caller looks again.
func (p *Pipeline[T]) hold(ctx context.Context, run *Run[T]) error {
	if len(p.guards) == 0 && len(p.former) == 0 {
		return nil
	}
	return p.setMetadata(ctx, run, "add finalizers to", func(object T) (upkeep, error) {
		if run.Deleting() {
			return upkeep{finalizers: object.GetFinalizers()}, nil
		}
		return p.wantedOn(object)
	})
}

// wantedOn returns what the metadata of an object should have before the steps
// run. A finalizer that is there and not needed any more stays: see letGo.
func (p *Pipeline[T]) wantedOn(object T) (want upkeep, err error) {
	have := object.GetFinalizers()
	want.finalizers = slices.DeleteFunc(slices.Clone(have), func(name string) bool { return slices.Contains(p.former, name) })
	for i := range p.guards {
		guard := &p.guards[i]
		isFormer := func(name string) bool { return slices.Contains(guard.FormerFinalizers, name) }
		held := slices.ContainsFunc(want.finalizers, isFormer)
		needed, err := guard.needs(object)
		if err != nil {
			return want, err
		}
		if needed || held {
			for _, name := range guard.Finalizers {
				if !slices.Contains(want.finalizers, name) {
					want.finalizers = append(want.finalizers, name)
				}
			}
		}
		want.finalizers = slices.DeleteFunc(want.finalizers, isFormer)
		if (!needed && !held) || guard.Annotations == nil {
			continue
		}
		if err := guard.annotate(object, &want); err != nil {
			return want, err
		}
	}
	return want, nil
}

// letGo takes off the finalizers of steps that do not need them any more and
// have undone, as their reports say, what was guarded.
func (p *Pipeline[T]) letGo(ctx context.Context, run *Run[T]) error {
	if !slices.ContainsFunc(p.guards, func(guard Description) bool { return guard.FinalizersWhen != nil }) {
		return nil
	}
	return p.setMetadata(ctx, run, "remove finalizers from", func(object T) (want upkeep, err error) {
		want.finalizers = slices.Clone(object.GetFinalizers())
		if run.Deleting() { // found out just now, after a conflict
			return want, nil
		}
		for i := range p.guards {
			guard := &p.guards[i]
			needed, err := guard.needs(object)
			if err != nil {
				return want, err
			}
			if !needed && run.reports.stateOf(guard.Name) == StateReady {
				want.finalizers = slices.DeleteFunc(want.finalizers, func(name string) bool {
					return slices.Contains(guard.Finalizers, name)
				})
			}
		}
		return want, nil
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
	tellPanic(ctx, finalizersStep, err)
	run.record(&Description{Name: finalizersStep}, Result{}, err)
	return p.conclude(ctx, run, Result{}, err)
}

// release takes the pipeline's finalizers off the object, in one write. That
// the object is gone already is as good.
func (p *Pipeline[T]) release(ctx context.Context, run *Run[T]) error {
	err := p.setMetadata(ctx, run, "remove finalizers from", func(object T) (upkeep, error) {
		return upkeep{finalizers: slices.DeleteFunc(slices.Clone(object.GetFinalizers()), p.isOurs)}, nil
	})
	if errors.Is(err, errGone) {
		return nil
	}
	return err
}

// setMetadata writes what change makes of the object's metadata, and reads the
// object again, past the cache, when it was changed in the meantime.
func (p *Pipeline[T]) setMetadata(ctx context.Context, run *Run[T], what string, change func(T) (upkeep, error)) error {
	name := client.ObjectKeyFromObject(run.original)
	for attempt := 1; ; attempt++ {
		want, err := change(run.object)
		if err != nil {
			return fmt.Errorf("%s %s %s: %w", what, p.kind, name, err)
		}
		body := want.patch(run.object)
		if len(body) == 0 {
			return nil
		}
		err = p.patch(ctx, run, map[string]any{"metadata": body}, p.toObject)
		switch {
		case err == nil:
			return nil
		case apierrors.IsNotFound(err):
			return errGone
		case !apierrors.IsConflict(err) || attempt == attempts:
			return denied(fmt.Errorf("%s %s %s: %w", what, p.kind, name, err))
		}
		if err := p.refresh(ctx, run); err != nil {
			return err
		}
	}
}

// denied gives the refusal of an admission policy or webhook, which comes with any
// code, and the failure to ask one, the reasons that package resources has for
// them: it is for a person to lift, and not what is written that is wrong.
func denied(err error) error {
	switch text := err.Error(); {
	case strings.Contains(text, "denied the request"), strings.Contains(text, "denied request"):
		return WithReason("Denied", err)
	case strings.Contains(text, "failed calling webhook"):
		return WithReason("WebhookFailed", err)
	}
	return err
}
