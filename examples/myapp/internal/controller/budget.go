package controller

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// hasBudget reports whether it is limited how many pods may be away.
func hasBudget(app *v1.MyApp) bool { return app.Spec.Disruption != nil }

// desiredBudget limits how many pods an eviction may take at a time.
func desiredBudget(app *v1.MyApp) (*policyv1.PodDisruptionBudget, error) {
	most := intstr.FromInt32(1)
	if want := app.Spec.Disruption.MaxUnavailable; want != nil {
		most = intstr.FromInt32(*want)
	}
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Labels: labels(app)},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: &most,
			Selector:       &metav1.LabelSelector{MatchLabels: labels(app)},
		},
	}, nil
}
