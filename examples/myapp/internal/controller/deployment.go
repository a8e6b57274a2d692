package controller

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// What makes pods start anew when it changes.
const (
	configAnnotation   = "apps.example.com/config-hash"
	rotationAnnotation = "apps.example.com/secret-hash"
)

// deploymentWith returns what builds the Deployment of an app whose Secret another
// step refers to.
func deploymentWith(secret *resources.Referent[*v1.MyApp, *corev1.Secret]) func(*v1.MyApp, *reconcile.Run[*v1.MyApp]) (*appsv1.Deployment, error) {
	return func(app *v1.MyApp, run *reconcile.Run[*v1.MyApp]) (*appsv1.Deployment, error) {
		hash, _ := secret.Hash(run)
		return desiredDeployment(app, hash), nil
	}
}

// desiredDeployment runs the app. secretHash is short for what its Secret says, or
// empty if it has none.
func desiredDeployment(app *v1.MyApp, secretHash string) *appsv1.Deployment {
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Labels: labels(app)},
		Spec: appsv1.DeploymentSpec{
			Replicas: app.Spec.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels(app)},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels(app)},
				Spec: corev1.PodSpec{
					AutomountServiceAccountToken: new(false), // an app has no business at the API server

					NodeSelector:              app.Spec.NodeSelector,
					TopologySpreadConstraints: spreadOf(app),
					Containers:                []corev1.Container{containerOf(app)},
				},
			},
		},
	}
	pod := &deployment.Spec.Template
	if isScaled(app) {
		deployment.Spec.Replicas = nil // the autoscaler's
	}
	if hasAccount(app) {
		pod.Spec.ServiceAccountName = app.Name
		// The API server makes each of the two of the other. If this one were not ours
		// as well, it would stay, and bring the other back, when there is no account
		// any more.
		pod.Spec.DeprecatedServiceAccount = app.Name
	}
	if hasConfig(app) {
		source := &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: app.Name}}
		pod.Spec.Volumes = []corev1.Volume{{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: source}}}
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, configAnnotation, configHash(app))
	}
	if secretHash != "" {
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, rotationAnnotation, secretHash)
	}
	return deployment
}
