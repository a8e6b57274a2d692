package controller

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// hasAccount reports whether the pods have an account of their own.
func hasAccount(app *v1.MyApp) bool { return app.Spec.ServiceAccount != nil }

// desiredAccount is whom the pods act as, elsewhere than at the API server.
func desiredAccount(app *v1.MyApp) (*corev1.ServiceAccount, error) {
	return &corev1.ServiceAccount{
		ObjectMeta: metav1.ObjectMeta{
			Name: app.Name, Labels: labels(app), Annotations: app.Spec.ServiceAccount.Annotations,
		},
		AutomountServiceAccountToken: new(false),
	}, nil
}
