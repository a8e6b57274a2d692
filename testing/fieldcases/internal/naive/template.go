package naive

import (
	"context"
	"maps"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// template is what all Deployments are made of.
var template = &appsv1.Deployment{}

func (r *Reconciler) sharedDeployment(ctx context.Context, app *v1.MyApp) error {
	existing := &appsv1.Deployment{}
	err := r.Client.Get(ctx, keyOf(app, app.Name), existing)
	template.Name = app.Name
	template.Spec.Replicas = app.Spec.Replicas
	template.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": app.Name}}
	if template.Spec.Template.Labels == nil {
		template.Spec.Template.Labels = map[string]string{}
	}
	maps.Copy(template.Spec.Template.Labels, app.Spec.PodLabels)
	template.Spec.Template.Labels["app"] = app.Name
	template.Spec.Template.Spec.Containers = []corev1.Container{{Name: "app", Image: app.Spec.Image}}
	owned(app, &template.ObjectMeta)
	if apierrors.IsNotFound(err) {
		return r.Client.Create(ctx, template)
	}
	if err != nil || reflect.DeepEqual(existing.Spec.Template.Labels, template.Spec.Template.Labels) {
		return err
	}
	template.ResourceVersion, template.UID = existing.ResourceVersion, existing.UID
	return r.Client.Update(ctx, template)
}
