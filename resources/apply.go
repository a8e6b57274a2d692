package resources

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// createOnly is a resourceVersion that no stored object has: etcd's first
// revision is that of its empty keyspace. An apply that carries it creates the
// object if there is none and conflicts with any that exists (tried on
// kube-apiserver 1.37.2), so that a cache that does not show an object cannot
// make us take it over.
const createOnly = "1"

// ignoreDuplicates has the server parse an apply once instead of twice: the second
// time it looks for fields that are there twice, which encoding/json does not write
// of a map. Fields that are not in the schema are refused by every apply.
const ignoreDuplicates = client.FieldValidation(metav1.FieldValidationIgnore)

// apply sends what is wanted and returns the server's answer. The request goes
// through the typed representation, because the client's read-your-writes is
// kept per representation.
func (e *engine[T, C]) apply(
	ctx context.Context, run *reconcile.Run[T], slot *slot[C], want *intent[C], live *observation[C],
) (C, error) {
	answer := e.empty(want.key)
	body, err := e.body(run, want, live)
	if err != nil {
		return answer, err
	}
	err = run.Client().Patch(ctx, answer, client.RawPatch(types.ApplyPatchType, body),
		client.FieldOwner(e.manager(run)), client.ForceOwnership, ignoreDuplicates, e.causeOf(run, slot, want, live))
	if err != nil {
		return answer, refusalOf("apply", want, err)
	}
	e.tell(run, slot, want, live, answer)
	return answer, nil
}

// applyOver applies over what is there, after taking over the fields of former
// field managers, and once more if our own entry was in the way.
func (e *engine[T, C]) applyOver(
	ctx context.Context, run *reconcile.Run[T], slot *slot[C], want *intent[C], live *observation[C],
) (C, error) {
	if live != nil {
		var err error
		if live, err = e.takeOverFields(ctx, run, want, live); err != nil {
			var none C
			return none, err
		}
	}
	answer, err := e.apply(ctx, run, slot, want, live)
	if err == nil || live == nil || !e.isObsolete(run, live.shared, err) {
		return answer, err
	}
	if live, err = e.renew(ctx, run, slot, want, live, err); err != nil {
		return answer, err
	}
	return e.apply(ctx, run, slot, want, live)
}

// tell records what an apply did, if it did anything.
func (e *engine[T, C]) tell(
	run *reconcile.Run[T], slot *slot[C], want *intent[C], live *observation[C], answer C,
) {
	if live == nil {
		run.Event(answer, "Created", "Apply", "created %s %s", want.kind, want.key.Name)
		return
	}
	if live.shared.GetResourceVersion() == answer.GetResourceVersion() {
		return
	}
	// Somebody else may have written in between: what counts is our part.
	before, known, err := projection(live.shared, e.manager(run))
	after, _, _ := projection(answer, e.manager(run))
	switch {
	case err == nil && known && before == after:
	case slot.record != nil && slot.record.hash == want.hash:
		run.Event(answer, "Repaired", "Apply", "repaired %s %s, which somebody had changed", want.kind, want.key.Name)
	default:
		run.Event(answer, "Updated", "Apply", "updated %s %s", want.kind, want.key.Name)
	}
}

// body returns the request: what is wanted, with what makes sure that it meets
// the object that it is meant for, or none.
func (e *engine[T, C]) body(run *reconcile.Run[T], want *intent[C], live *observation[C]) ([]byte, error) {
	content, err := e.content(run, want)
	if err != nil {
		return nil, err
	}
	if err := e.checkNames(content); err != nil {
		return nil, err
	}
	metadata, _ := content["metadata"].(map[string]any)
	if live == nil {
		e.inherit(content, nil)
		metadata["resourceVersion"] = createOnly
	} else {
		e.inherit(content, live.shared)
		metadata["uid"] = string(live.shared.GetUID())
		if live.exactly {
			metadata["resourceVersion"] = live.shared.GetResourceVersion()
		}
	}
	return json.Marshal(content)
}

// content returns what is wanted in canonical form, with the owner and the mark
// of the step.
func (e *engine[T, C]) content(run *reconcile.Run[T], want *intent[C]) (map[string]any, error) {
	raw, err := e.marshal(want.desired)
	if err != nil {
		return nil, reconcile.Terminal(fmt.Errorf("build: %w", err))
	}
	content, err := canonical(raw, want.desired, e.prototype, run.Scheme())
	if err != nil {
		return nil, reconcile.Terminal(fmt.Errorf("build: %w", err))
	}
	if _, ok := any(want.desired).(runtime.Unstructured); e.shared && !ok {
		dropNulls(content)
	}
	metadata, _ := content["metadata"].(map[string]any)
	metadata["name"] = want.key.Name
	delete(metadata, "namespace")
	if want.key.Namespace != "" {
		metadata["namespace"] = want.key.Namespace
	}
	return content, e.claim(run, metadata)
}

// isRace reports whether an apply was refused because what is there is not what
// the cache showed: an object exists where none was seen, or it is another one,
// or none at all.
func isRace(err error) bool {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return true
	}
	if !apierrors.IsInvalid(err) {
		return false
	}
	for _, cause := range causes(err) {
		if cause.Field == "metadata.uid" {
			return true
		}
	}
	return false
}
