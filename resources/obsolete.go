package resources

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/trueup-dev/trueup/reconcile"
)

// isObsolete reports whether an apply was refused because of the version in which
// our own entry is: the CRD had it when an earlier operator applied the child, and
// has it no more.
func (e *engine[T, C]) isObsolete(run *reconcile.Run[T], live C, refusal error) bool {
	entry := ownEntry(live, e.manager(run))
	gvk, err := apiutil.GVKForObject(e.prototype, run.Scheme())
	if entry == nil || err != nil || entry.APIVersion == gvk.GroupVersion().String() {
		return false
	}
	// kube-apiserver 1.37 answers 500: "request to convert CR to an invalid
	// group/version: exact.example.com/v1beta1".
	return apierrors.IsInternalError(refusal) && strings.Contains(refusal.Error(), entry.APIVersion)
}

// renew has our own entry be in the version of the step, with the fields that it
// has, so that those which are not wanted any more go with the apply that follows.
// The entries of others are left as they are, which is why it reads past the cache:
// one may keep only ours. It returns the child as it is then.
func (e *engine[T, C]) renew(
	ctx context.Context, run *reconcile.Run[T], slot *slot[C], want *intent[C], live *observation[C], refusal error,
) (*observation[C], error) {
	gvk, err := apiutil.GVKForObject(e.prototype, run.Scheme())
	if err != nil {
		return nil, err
	}
	cause := e.causeOf(run, slot, want, live)
	if live, err = e.lookLive(ctx, run, slot, want.key); err != nil {
		return nil, err
	}
	if live == nil || !e.isObsolete(run, live.shared, refusal) {
		return nil, refusal
	}
	entries := slices.Clone(live.shared.GetManagedFields())
	own := ownEntry(live.shared, e.manager(run))
	for i := range entries {
		if entries[i].Manager == own.Manager && entries[i].Operation == own.Operation && entries[i].Subresource == "" {
			entries[i].APIVersion = gvk.GroupVersion().String()
		}
	}
	patch, err := json.Marshal([]map[string]any{
		{"op": "replace", "path": "/metadata/managedFields", "value": entries},
		// It conflicts if the child has changed.
		{"op": "replace", "path": "/metadata/resourceVersion", "value": live.shared.GetResourceVersion()},
	})
	if err != nil {
		return nil, fmt.Errorf("renew the field manager's entry of %s: %w", want, err)
	}
	answer := e.empty(want.key)
	err = run.Client().Patch(ctx, answer, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(e.manager(run)), cause)
	if err != nil {
		return nil, refusalOf("renew the field manager's entry of", want, err)
	}
	return share(answer), nil
}
