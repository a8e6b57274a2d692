package naive

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// storage deletes a StatefulSet that has another size, makes its claim larger, and
// makes it again.
func (r *Reconciler) storage(ctx context.Context, app *v1.MyApp) error {
	if app.Spec.Storage == nil {
		return nil
	}
	podLabels := map[string]string{"app": app.Name, "worker": "data"}
	claim := corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: *app.Spec.Storage}},
		},
	}
	desired := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name + "-data"},
		Spec: appsv1.StatefulSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: podLabels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: podLabels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "data", Image: app.Spec.Image}}},
			},
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{claim},
		},
	}
	owned(app, &desired.ObjectMeta)
	existing := &appsv1.StatefulSet{}
	err := r.Client.Get(ctx, client.ObjectKeyFromObject(desired), existing)
	if apierrors.IsNotFound(err) {
		return r.Client.Create(ctx, desired)
	}
	if err != nil || existing.Spec.VolumeClaimTemplates[0].Spec.Resources.Requests.Storage().Cmp(*app.Spec.Storage) == 0 {
		return err
	}
	if err := r.Client.Delete(ctx, existing, client.PropagationPolicy(metav1.DeletePropagationOrphan)); err != nil {
		return err
	}
	stored := &corev1.PersistentVolumeClaim{}
	if err := r.Client.Get(ctx, keyOf(app, "data-"+desired.Name+"-0"), stored); err != nil {
		return err
	}
	before := stored.DeepCopy()
	stored.Spec.Resources.Requests[corev1.ResourceStorage] = *app.Spec.Storage
	if err := r.Client.Patch(ctx, stored, client.MergeFrom(before)); err != nil {
		return err
	}
	return r.Client.Create(ctx, desired)
}
