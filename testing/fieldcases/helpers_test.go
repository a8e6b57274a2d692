package fieldcases_test

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
	"github.com/trueup-dev/trueup/testing/steptest"
)

type request = steptest.Request

// workersOf returns the names of the Deployments and Services of workers.
func workersOf(w *world.World) (deployments, services []string) {
	list := &appsv1.DeploymentList{}
	w.List(list)
	for i := range list.Items {
		if list.Items[i].Spec.Template.Labels["worker"] != "" {
			deployments = append(deployments, list.Items[i].Name)
		}
	}
	others := &corev1.ServiceList{}
	w.List(others)
	for i := range others.Items {
		if others.Items[i].Spec.Selector["worker"] != "" {
			services = append(services, others.Items[i].Name)
		}
	}
	slices.Sort(deployments)
	slices.Sort(services)
	return deployments, services
}
