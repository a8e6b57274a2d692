package naive

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// workers keeps what workers have, and clears up after those whose end it sees.
func (r *Reconciler) workers(ctx context.Context, app *v1.MyApp) error {
	for _, worker := range app.Spec.Workers {
		claim := &corev1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "data-" + worker},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
			},
		}
		podLabels := map[string]string{"app": app.Name, "worker": worker}
		deployment := &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: app.Name + "-" + worker, Labels: podLabels},
			Spec: appsv1.DeploymentSpec{
				Selector: &metav1.LabelSelector{MatchLabels: podLabels},
				Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: podLabels},
					Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "worker", Image: app.Spec.Image}}},
				},
			},
		}
		service := &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: app.Name + "-" + worker},
			Spec:       corev1.ServiceSpec{Selector: podLabels, Ports: []corev1.ServicePort{{Port: 80}}},
		}
		owned(app, &claim.ObjectMeta)
		owned(app, &deployment.ObjectMeta)
		owned(app, &service.ObjectMeta)
		for _, child := range []client.Object{claim, deployment, service} {
			if err := r.Client.Create(ctx, child); err != nil && !apierrors.IsAlreadyExists(err) {
				return err
			}
		}
	}
	return r.retire(ctx, app)
}

// retire deletes the claims of Deployments that are seen to go, and, if asked to,
// workers that are not wanted any more, a few passes later.
func (r *Reconciler) retire(ctx context.Context, app *v1.MyApp) error {
	deployments := &appsv1.DeploymentList{}
	if err := r.Client.List(ctx, deployments, client.InNamespace(app.Namespace), client.MatchingLabels{"app": app.Name}); err != nil {
		return err
	}
	for i := range deployments.Items {
		deployment := &deployments.Items[i]
		worker := deployment.Labels["worker"]
		if worker == "" {
			continue
		}
		if deployment.DeletionTimestamp != nil {
			claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data-" + worker, Namespace: app.Namespace}}
			if err := r.Client.Delete(ctx, claim); client.IgnoreNotFound(err) != nil {
				return err
			}
			continue
		}
		if r.Drains && !slices.Contains(app.Spec.Workers, worker) {
			if _, err := r.Registry.Drain(worker); err != nil {
				return err
			}
			if err := r.whenPatient(func() error { return r.Client.Delete(ctx, deployment) }); err != nil {
				return err
			}
		}
	}
	if r.Drains {
		r.mu.Lock()
		r.patient++
		r.mu.Unlock()
	}
	return nil
}

// whenPatient does something after some passes.
func (r *Reconciler) whenPatient(do func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	const passes = 6
	if r.patient < passes {
		return nil
	}
	r.patient = 0
	return do()
}
