package controller

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
)

// scaler is the field manager that holds the replicas of a Deployment for an
// autoscaler that has not said yet how many there should be.
const scaler = "myapp-autoscaling"

// replicasPath is where a Deployment says how many pods there should be.
var replicasPath = fieldpath.MakePathOrDie("spec", "replicas")

// handOver is a step that leaves the replicas of a Deployment to an autoscaler. To
// just stop saying how many there should be would be to say one, because that is
// what the API server makes of nothing, and of a field that nobody owns any more
// nothing is left. So before the Deployment is applied without them, another field
// manager gets hold of them as they are; the autoscaler takes them from it.
//
// An app that was stopped, with no replicas, is not kept so: an autoscaler leaves
// what has none alone, and the app would never start. It gets the one that the API
// server makes of nothing.
//
// It is not forced: if somebody else has changed them meanwhile, it is refused,
// and tried again when that has been seen.
func handOver() reconcile.Step[*v1.MyApp] {
	return quiet(reconcile.Func("replicas", func(ctx context.Context, run *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
		app, live := run.Object(), &appsv1.Deployment{}
		if !isScaled(app) {
			return reconcile.Continue, nil
		}
		err := run.Client().Get(ctx, client.ObjectKeyFromObject(app), live)
		if err != nil || ptr.Deref(live.Spec.Replicas, 0) == 0 || !metav1.IsControlledBy(live, app) || !holdsAlone(live, run.FieldManager()) {
			return reconcile.Continue, client.IgnoreNotFound(err)
		}
		body := fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":%q,"namespace":%q,"uid":%q},"spec":{"replicas":%d}}`,
			live.Name, live.Namespace, live.UID, *live.Spec.Replicas)
		patch := client.RawPatch(types.ApplyPatchType, []byte(body))
		if err := run.Client().Patch(ctx, live, patch, client.FieldOwner(scaler)); err != nil {
			return reconcile.Result{}, fmt.Errorf("hand over replicas of Deployment %s: %w", live.Name, err)
		}
		return reconcile.Continue, nil
	}))
}

// holdsAlone reports whether a field manager holds the replicas and nobody else
// does.
func holdsAlone(deployment *appsv1.Deployment, manager string) bool {
	holders := slices.DeleteFunc(slices.Clone(deployment.ManagedFields), func(entry metav1.ManagedFieldsEntry) bool {
		set := &fieldpath.Set{}
		return entry.FieldsV1 == nil || set.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())) != nil || !set.Has(replicasPath)
	})
	return len(holders) == 1 && holders[0].Manager == manager && holders[0].Operation == metav1.ManagedFieldsOperationApply
}
