package controller

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// secretOf is the Secret that an app refers to, nil if none.
func secretOf(app *v1.MyApp) *corev1.Secret {
	if app.Spec.SecretName == "" {
		return nil
	}
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: app.Spec.SecretName}}
}
