package controller

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// spreadOf keeps pods apart as far as that is possible: that a pod runs at all is
// more.
func spreadOf(app *v1.MyApp) []corev1.TopologySpreadConstraint {
	topology := map[v1.Spread]string{v1.SpreadNode: corev1.LabelHostname, v1.SpreadZone: corev1.LabelTopologyZone}[app.Spec.Spread]
	if topology == "" {
		return nil
	}
	return []corev1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: topology, WhenUnsatisfiable: corev1.ScheduleAnyway,
		LabelSelector: &metav1.LabelSelector{MatchLabels: labels(app)},
	}}
}
