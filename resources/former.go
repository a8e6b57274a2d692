package resources

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// takeOverFields makes the fields that a former field manager owns by updates
// ours, as if they had been applied, so that those which are not wanted any more
// go with the apply that follows. It returns the child as it is then, or live if
// there is nothing to take over.
func (e *engine[T, C]) takeOverFields(
	ctx context.Context, run *reconcile.Run[T], want *intent[C], live *observation[C],
) (*observation[C], error) {
	if !e.hasFormer(live.shared) {
		return live, nil
	}
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(live.shared, sets.New(e.former...), e.manager(run))
	if err != nil {
		return nil, fmt.Errorf("take over the fields of %s: %w", want, err)
	}
	answer := e.empty(want.key)
	// The patch carries the resourceVersion: it conflicts if the child has changed.
	err = run.Client().Patch(ctx, answer, client.RawPatch(types.JSONPatchType, patch), client.FieldOwner(e.manager(run)),
		reconcile.CauseFormerManager)
	if err != nil {
		return nil, refusalOf("take over the fields of", want, err)
	}
	return share(answer), nil
}

// hasFormer reports whether a former field manager owns fields by updates.
func (e *engine[T, C]) hasFormer(live C) bool {
	return len(e.former) > 0 && slices.ContainsFunc(live.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.Operation == metav1.ManagedFieldsOperationUpdate && entry.Subresource == "" &&
			slices.Contains(e.former, entry.Manager)
	})
}
