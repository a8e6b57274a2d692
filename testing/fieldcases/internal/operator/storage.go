package operator

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// storage keeps a StatefulSet whose claims grow with the spec.
func storage() step {
	return reconcile.Sequence(
		reconcile.Func("resize", resize).Needs(
			reconcile.Access{Object: &appsv1.StatefulSet{}, Verbs: []string{"get", "list", "watch", "delete"}},
			reconcile.Access{Object: &corev1.PersistentVolumeClaim{}, Verbs: []string{"get", "list", "watch", "patch"}},
		),
		resources.Ensure(desiredSet).When(func(app *v1.MyApp) bool { return app.Spec.Storage != nil }),
	)
}

func setName(app *v1.MyApp) string { return app.Name + "-data" }

func claimName(app *v1.MyApp) string { return "data-" + setName(app) + "-0" }

// resize brings claims to the size that the spec asks for. The template of claims
// cannot be changed, so that a StatefulSet with another size goes first, and leaves
// its pods behind. What there is to do is read from what there is, each time, and
// never from what was done before.
func resize(ctx context.Context, run run) (reconcile.Result, error) {
	app := run.Object()
	want := app.Spec.Storage
	if want == nil {
		return reconcile.Continue, nil
	}
	set := &appsv1.StatefulSet{}
	key := client.ObjectKey{Namespace: app.Namespace, Name: setName(app)}
	err := run.Live().Get(ctx, key, set)
	if client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("read StatefulSet %s: %w", key, err)
	}
	exists := err == nil && metav1.IsControlledBy(set, app)
	if exists && set.Spec.VolumeClaimTemplates[0].Spec.Resources.Requests.Storage().Cmp(*want) != 0 {
		if set.DeletionTimestamp.IsZero() {
			err := run.Client().Delete(ctx, set, client.Preconditions{UID: &set.UID},
				client.PropagationPolicy(metav1.DeletePropagationOrphan))
			if err != nil && !apierrors.IsNotFound(err) {
				return reconcile.Result{}, fmt.Errorf("delete StatefulSet %s: %w", key, err)
			}
		}
		return reconcile.Wait("Resizing", "the StatefulSet is made again with larger claims"), nil
	}
	claim := &corev1.PersistentVolumeClaim{}
	key.Name = claimName(app)
	if err := run.Client().Get(ctx, key, claim); err != nil {
		return reconcile.Continue, client.IgnoreNotFound(err)
	}
	if claim.Spec.Resources.Requests.Storage().Cmp(*want) < 0 {
		before := claim.DeepCopy()
		claim.Spec.Resources.Requests[corev1.ResourceStorage] = *want
		if err := run.Client().Patch(ctx, claim, client.MergeFrom(before)); err != nil {
			return reconcile.Result{}, fmt.Errorf("resize claim %s: %w", key, err)
		}
	}
	return reconcile.Continue, nil
}

func desiredSet(app *v1.MyApp) (*appsv1.StatefulSet, error) {
	podLabels := workerLabels(app, "data")
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: setName(app), Labels: labels(app)},
		Spec: appsv1.StatefulSetSpec{
			Replicas: ptr.To[int32](1),
			Selector: &metav1.LabelSelector{MatchLabels: podLabels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: podLabels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "data", Image: app.Spec.Image}}},
			},
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{
				ObjectMeta: metav1.ObjectMeta{Name: "data"},
				Spec: corev1.PersistentVolumeClaimSpec{
					AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
					Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: *app.Spec.Storage}},
				},
			}},
		},
	}, nil
}
