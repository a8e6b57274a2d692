package naive

import (
	"context"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// children keeps everything that an app has.
func (r *Reconciler) children(ctx context.Context, app *v1.MyApp) error {
	if r.WaitsToApply {
		if ready, err := r.ready(ctx, app); err == nil && !ready && app.Status.ObservedGeneration > 0 {
			return nil // something is going on already
		}
	}
	steps := []func(context.Context, *v1.MyApp) error{
		r.service, r.config, r.deployment, r.ingress, r.job, r.workers, r.storage, r.elsewhere,
	}
	for _, step := range steps {
		if err := step(ctx, app); err != nil {
			return err
		}
	}
	return nil
}

// ready reports whether there are enough ready pods.
func (r *Reconciler) ready(ctx context.Context, app *v1.MyApp) (bool, error) {
	deployment := &appsv1.Deployment{}
	if err := r.Client.Get(ctx, keyOf(app, app.Name), deployment); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	app.Status.ReadyReplicas = deployment.Status.ReadyReplicas
	n := ptr.Deref(app.Spec.Replicas, 1)
	updated := !r.WaitsToApply || deployment.Status.UpdatedReplicas >= n
	return updated && deployment.Status.ReadyReplicas >= n, nil
}

func (r *Reconciler) config(ctx context.Context, app *v1.MyApp) error {
	if len(app.Spec.ConfigData) == 0 {
		return nil
	}
	desired := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name + "-config"}, Data: app.Spec.ConfigData}
	owned(app, &desired.ObjectMeta)
	existing := &corev1.ConfigMap{}
	return r.keep(ctx, desired, existing, func() bool { return reflect.DeepEqual(desired.Data, existing.Data) })
}

func (r *Reconciler) podLabel(app *v1.MyApp) string {
	if r.PodLabel != "" {
		return r.PodLabel
	}
	return app.Name
}

func (r *Reconciler) deployment(ctx context.Context, app *v1.MyApp) error {
	if r.Shares {
		return r.sharedDeployment(ctx, app)
	}
	podLabels := map[string]string{"app": r.podLabel(app)}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: merged(app.Spec.PodLabels, podLabels), Annotations: app.Spec.PodAnnotations},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name: "app", Image: app.Spec.Image, Resources: app.Spec.Resources,
				Ports: []corev1.ContainerPort{{ContainerPort: ptr.Deref(app.Spec.Port, 8080)}},
			}},
			NodeSelector: app.Spec.NodeSelector,
		},
	}
	if r.Probed {
		template.Spec.Containers[0].ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromInt32(ptr.Deref(app.Spec.Port, 8080))},
		}}
	}
	if r.HashesVersion {
		config := &corev1.ConfigMap{}
		if err := r.Client.Get(ctx, keyOf(app, app.Name+"-config"), config); err != nil {
			return client.IgnoreNotFound(err)
		}
		template.Annotations = merged(template.Annotations, map[string]string{"config-version": config.ResourceVersion})
	}
	desired := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Labels: map[string]string{"managed-by": "myapp"}},
		Spec: appsv1.DeploymentSpec{
			Replicas: app.Spec.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: podLabels},
			Template: template,
		},
	}
	owned(app, &desired.ObjectMeta)
	existing := &appsv1.Deployment{}
	err := r.keep(ctx, desired, existing, func() bool {
		if r.Recreates {
			desired.Finalizers = existing.Finalizers
		}
		return reflect.DeepEqual(desired.Spec, existing.Spec) && reflect.DeepEqual(desired.Labels, existing.Labels)
	})
	if apierrors.IsInvalid(err) && r.Recreates {
		if err := r.Client.Delete(ctx, existing); err != nil {
			return nil //nolint:nilerr // it goes sooner or later
		}
		desired.ResourceVersion = ""
		if err := r.Client.Create(ctx, desired); err != nil {
			return nil //nolint:nilerr // it is being deleted: continue
		}
		return nil
	}
	return err
}
