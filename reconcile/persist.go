package reconcile

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile/internal/merge"
)

// statusAttempts bounds how often a status is merged and written again after a
// conflict within a pass. It is more than [attempts], because a status has many
// writers and a conflict in it is nobody's fault.
const statusAttempts = 10

// persist writes the status if the pass changed it. What this pass changed is
// computed once, against what it started from; after a conflict it is merged
// into what is there now, so that nothing that another writer put there in the
// meantime is lost, and the steps need not run again.
//
// A change that the server made nothing of, because it prunes a field or puts a
// default in the place of one that was cleared, is remembered and not sent again
// to the same status.
//
// Where there is no status subresource the status has no observedGeneration: each
// write of the status is a new generation there, so that one would follow another
// for ever.
func (p *Pipeline[T]) persist(ctx context.Context, run *Run[T]) error {
	if p.kind.sameStatus(run.original, run.object) {
		return nil
	}
	name := client.ObjectKeyFromObject(run.original)
	base, err := p.kind.statusOf(run.original)
	if err != nil {
		return fmt.Errorf("write status of %s %s: %w", p.kind, name, err)
	}
	ours, err := p.kind.statusOf(run.object)
	if err != nil {
		return fmt.Errorf("write status of %s %s: %w", p.kind, name, err)
	}
	live := base
	for attempt := 1; ; attempt++ {
		if _, plain := p.plain.Get(run); plain {
			ours = merge.WithoutNewGenerations(base, ours)
		}
		change, differs := merge.Patch(live, merge.ThreeWay(base, ours, live))
		if !differs {
			return nil
		}
		sent, err := digestOf(live, change)
		if err != nil {
			return fmt.Errorf("write status of %s %s: %w", p.kind, name, err)
		}
		if futile, ok := p.futile.Get(run); ok && futile == sent {
			return nil
		}
		from := run.original.GetResourceVersion()
		err = p.patch(ctx, run, map[string]any{"status": change}, p.statusWriter(run))
		switch {
		case err == nil:
			if run.original.GetResourceVersion() == from {
				p.futile.Set(run, sent)
			}
			return nil
		case attempt == statusAttempts || !apierrors.IsConflict(err) && !apierrors.IsNotFound(err):
			return fmt.Errorf("write status of %s %s: %w", p.kind, name, err)
		}
		run.overtaken = true
		notFound := apierrors.IsNotFound(err)
		if err := p.refresh(ctx, run); err != nil {
			if errors.Is(err, errGone) {
				return nil
			}
			return err
		}
		if notFound { // and yet the object is there: it is the subresource that is not
			p.plain.Set(run, struct{}{})
		}
		if live, err = p.kind.statusOf(run.original); err != nil {
			return fmt.Errorf("write status of %s %s: %w", p.kind, name, err)
		}
	}
}

// statusWriter returns what writes the status: to the subresource, or to the
// object itself where the kind has been found to have none.
func (p *Pipeline[T]) statusWriter(run *Run[T]) patcher {
	if _, plain := p.plain.Get(run); plain {
		return p.toObject
	}
	return p.toStatus
}

// digestOf tells a change of a status from another.
func digestOf(status, change any) ([sha256.Size]byte, error) {
	data, err := json.Marshal([]any{status, change})
	return sha256.Sum256(data), err
}
