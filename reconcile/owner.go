package reconcile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// errGone says that the object of the pass does not exist any more, or that
// another one has taken its name. Either way the watch has told or will tell.
var errGone = errors.New("the object is gone")

// attempts bounds how often a write is tried again after a conflict within a
// pass. Each try is against what was just read past the cache, so that a second
// conflict already means that somebody writes at the same moment.
const attempts = 5

// settle gives the run its own copy of the object. If the cache has not yet
// seen what this pipeline last wrote to the object, it uses what the server
// answered then: working from the older one would only earn a conflict.
//
// The write that takes the last finalizer off is never stored: the server deletes
// the object instead, and answers with the version before. The cache has not seen
// such a write before it has seen the object go.
func (p *Pipeline[T]) settle(run *Run[T]) {
	if written, ok := p.written.Get(run); ok {
		order, err := resourceversion.CompareResourceVersion(
			run.original.GetResourceVersion(), written.GetResourceVersion())
		if err == nil && (order < 0 || order == 0 && isDeleted(written) && len(written.GetFinalizers()) == 0) {
			run.original = written
		} else {
			p.written.Clear(run)
		}
	}
	run.object = p.kind.workingCopy(run.original)
}

// replace makes object, which the server just returned and nobody else has yet,
// what the pass works on.
func (p *Pipeline[T]) replace(run *Run[T], object T) {
	run.mu.Lock()
	defer run.mu.Unlock()
	run.original = object
	run.object = p.kind.workingCopy(object)
}

// refresh reads the object past the cache and makes it what the pass works on.
// It returns errGone if it is not the same object any more.
func (p *Pipeline[T]) refresh(ctx context.Context, run *Run[T]) error {
	name := client.ObjectKeyFromObject(run.original)
	live := p.kind.empty(name)
	if err := p.env.Live.Get(ctx, name, live); err != nil {
		if apierrors.IsNotFound(err) {
			return errGone
		}
		return fmt.Errorf("read %s %s: %w", p.kind, name, err)
	}
	if live.GetUID() != run.original.GetUID() {
		return errGone
	}
	p.replace(run, live)
	return nil
}

// patch sends a merge patch of the object under an optimistic lock: it fails
// with a conflict if the object is no longer the one that the pass works on.
// The answer becomes what the pass works on, and is remembered until the cache
// has caught up with it.
func (p *Pipeline[T]) patch(ctx context.Context, run *Run[T], body map[string]any, send patcher) error {
	data, err := patchBody(run.original, body)
	if err != nil {
		return err
	}
	answer := p.kind.empty(client.ObjectKeyFromObject(run.original))
	cause := CauseFinalizers
	if _, ok := body["status"]; ok {
		cause = CauseStatus
	}
	if err := p.tell(ctx, run, answer, cause, send(ctx, answer, client.RawPatch(types.MergePatchType, data))); err != nil {
		return err
	}
	p.noteAnswer(run, answer)
	p.replace(run, answer)
	p.written.Set(run, answer)
	return nil
}

// patchBody encodes a merge patch under an optimistic lock on what is known of
// the object.
func patchBody(known client.Object, body map[string]any) ([]byte, error) {
	metadata, _ := body["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		body["metadata"] = metadata
	}
	metadata["resourceVersion"] = known.GetResourceVersion()
	return json.Marshal(body)
}

// patcher sends a patch: to the object or to its status.
type patcher func(ctx context.Context, object client.Object, patch client.Patch) error

func (p *Pipeline[T]) toObject(ctx context.Context, object client.Object, patch client.Patch) error {
	p.early.expect(client.ObjectKeyFromObject(object))
	return p.env.Client.Patch(ctx, object, patch, client.FieldOwner(p.env.FieldManager))
}

func (p *Pipeline[T]) toStatus(ctx context.Context, object client.Object, patch client.Patch) error {
	p.early.expect(client.ObjectKeyFromObject(object))
	return p.env.Client.Status().Patch(ctx, object, patch, client.FieldOwner(p.env.FieldManager))
}
