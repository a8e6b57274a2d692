package fieldcases_test

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
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

// ownedBy returns what a MyApp controls, of all kinds that the operator makes, each as
// "Kind name".
func ownedBy(w *world.World, app *v1.MyApp) []string {
	var all []string
	for kind, list := range map[string]client.ObjectList{
		"ConfigMap": &corev1.ConfigMapList{}, "Service": &corev1.ServiceList{}, "PersistentVolumeClaim": &corev1.PersistentVolumeClaimList{},
		"Deployment": &appsv1.DeploymentList{}, "StatefulSet": &appsv1.StatefulSetList{}, "Job": &batchv1.JobList{},
		"Ingress": &networkingv1.IngressList{},
	} {
		w.List(list)
		w.Must(meta.EachListItem(list, func(item runtime.Object) error {
			if child := item.(client.Object); metav1.IsControlledBy(child, app) {
				all = append(all, kind+" "+child.GetName())
			}
			return nil
		}))
	}
	slices.Sort(all)
	return all
}
