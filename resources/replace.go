package resources

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// replace is what [Child.Recreate] asks for when the server does not let an
// existing child be changed into what is wanted: it deletes the child, to be
// made again when it is gone. It does so only when what is wanted could be
// created, which a dry run tells; otherwise the child stays, and the refusal is
// that of the dry run.
func (e *engine[T, C]) replace(
	ctx context.Context, run *reconcile.Run[T], slot *slot[C], want *intent[C], live *observation[C], refused error,
) (reconcile.Result, error) {
	if err := e.rehearse(ctx, run, want); err != nil {
		both := fmt.Errorf("%w; nor can it be made anew: %w", refused, err)
		if isInvalid(err) {
			return slot.refused(run.Object(), want, live, run.Now(), both)
		}
		return reconcile.Result{}, both
	}
	if err := e.delete(ctx, run, live.shared, reconcile.CauseRecreated, "cannot be changed in place and is made again"); err != nil {
		return reconcile.Result{}, err
	}
	slot.record = nil
	return reconcile.Wait("Recreating", fmt.Sprintf("%s cannot be changed in place: it is deleted and made again", want)), nil
}

// rehearse asks the server, in a dry run, to create what is wanted, under
// another name because its own is taken.
func (e *engine[T, C]) rehearse(ctx context.Context, run *reconcile.Run[T], want *intent[C]) error {
	content, err := e.content(run, want)
	if err != nil {
		return err
	}
	name := rehearsalName(want.key.Name)
	within(content, "metadata")["name"] = name
	within(content, "metadata")["resourceVersion"] = createOnly
	if e.kindName() == "Service" { // what the child that is there holds on to
		spec := within(content, "spec")
		for _, field := range []string{"clusterIP", "clusterIPs", "healthCheckNodePort"} {
			delete(spec, field)
		}
		ports, _ := spec["ports"].([]any)
		for _, port := range ports {
			if fields, ok := port.(map[string]any); ok {
				delete(fields, "nodePort")
			}
		}
	}
	body, err := json.Marshal(content)
	if err != nil {
		return err
	}
	answer := e.empty(client.ObjectKey{Namespace: want.key.Namespace, Name: name})
	err = run.Client().Patch(ctx, answer, client.RawPatch(types.ApplyPatchType, body),
		client.FieldOwner(e.manager(run)), client.ForceOwnership, client.DryRunAll)
	if err != nil {
		return refusalOf("try to create", want, err)
	}
	return nil
}

// rehearsalName returns a name like the given one that is not likely to be
// taken, and no longer than a label, which some kinds demand, unless the given
// one is.
func rehearsalName(name string) string {
	const suffix = "-dry-run"
	room := max(validation.DNS1123LabelMaxLength, len(name)) - len(suffix)
	return name[:min(len(name), room)] + suffix
}
