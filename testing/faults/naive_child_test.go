package faults_test

import (
	"context"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// child makes the Deployment, or changes it.
func (n *naive) child(ctx context.Context, app *v1.MyApp) (*appsv1.Deployment, error) {
	wanted := n.wanted(app)
	if err := controllerutil.SetControllerReference(app, wanted, n.Scheme()); err != nil {
		return nil, err
	}
	child, err := n.find(ctx, app)
	switch {
	case apierrors.IsNotFound(err):
		err := n.Create(ctx, wanted)
		if n.bug == nilChild && err == nil {
			child = &appsv1.Deployment{}
			_ = n.Get(ctx, client.ObjectKeyFromObject(app), child)
			return child, nil
		}
		return wanted, err
	case err != nil:
		return nil, err
	}
	selector := app.Spec.NodeSelector
	if n.bug == neverCleared && len(selector) == 0 {
		selector = child.Spec.Template.Spec.NodeSelector
	}
	if child.Spec.Template.Spec.Containers[0].Image == app.Spec.Image && *child.Spec.Replicas == *app.Spec.Replicas &&
		maps.Equal(child.Spec.Template.Spec.NodeSelector, selector) {
		return child, nil
	}
	before := child.DeepCopy()
	child.Spec.Template.Spec.Containers[0].Image, child.Spec.Replicas = app.Spec.Image, app.Spec.Replicas
	child.Spec.Template.Spec.NodeSelector = selector
	if n.bug == overwritten {
		child.ResourceVersion = ""
		return child, n.Update(ctx, child)
	}
	return child, n.Patch(ctx, child, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

func (n *naive) find(ctx context.Context, app *v1.MyApp) (*appsv1.Deployment, error) {
	if n.bug != randomNames {
		child := &appsv1.Deployment{}
		return child, n.Get(ctx, client.ObjectKeyFromObject(app), child)
	}
	list := &appsv1.DeploymentList{}
	if err := n.List(ctx, list, client.InNamespace(app.Namespace), client.MatchingLabels{"app": app.Name}); err != nil {
		return nil, err
	}
	if len(list.Items) == 0 {
		return nil, apierrors.NewNotFound(appsv1.Resource("deployments"), app.Name)
	}
	return &list.Items[0], nil
}

func (n *naive) wanted(app *v1.MyApp) *appsv1.Deployment {
	labels := map[string]string{"app": app.Name}
	wanted := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Namespace: app.Namespace, Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Replicas: app.Spec.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{NodeSelector: app.Spec.NodeSelector, Containers: []corev1.Container{{Name: "app", Image: app.Spec.Image}}},
			},
		},
	}
	if n.bug == randomNames {
		wanted.Name, wanted.GenerateName = "", app.Name+"-"
	}
	return wanted
}
