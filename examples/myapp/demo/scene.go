package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// A row is one object of the scene, as the table shows it.
type row struct{ kind, name, replicas, ready, state string }

// String tells the row in a line.
func (r row) String() string {
	text := r.kind + " " + r.name + ": "
	if r.replicas != "" {
		text += r.ready + " of " + r.replicas + " ready, "
	}
	return text + r.state
}

// look returns what there is in the user's namespace.
func (u *user) look(ctx context.Context) ([]row, error) {
	var (
		apps        v1.MyAppList
		deployments appsv1.DeploymentList
		pods        corev1.PodList
		services    corev1.ServiceList
	)
	for _, list := range []client.ObjectList{&apps, &deployments, &pods, &services} {
		if err := u.client.List(ctx, list, client.InNamespace(namespace)); err != nil {
			return nil, fmt.Errorf("look at namespace %s: %w", namespace, err)
		}
	}
	var rows []row
	for i := range apps.Items {
		rows = append(rows, appRow(&apps.Items[i]))
	}
	for i := range deployments.Items {
		rows = append(rows, deploymentRow(&deployments.Items[i]))
	}
	rows = append(rows, podRows(pods.Items)...)
	for i := range services.Items {
		rows = append(rows, serviceRow(&services.Items[i]))
	}
	records := u.zone.Records()
	for _, host := range slices.Sorted(maps.Keys(records)) {
		rows = append(rows, row{kind: "DNS record", name: host, state: "points to " + records[host]})
	}
	return rows, nil
}

func appRow(app *v1.MyApp) row {
	ready := condition(app)
	state := "Ready=" + string(ready.Status)
	if ready.Reason != "" {
		state += ", " + ready.Reason
	}
	if ready.Status != metav1.ConditionTrue && ready.Message != "" {
		state += ": " + ready.Message
	}
	return row{"MyApp", app.Name, number(app.Spec.Replicas), strconv.Itoa(int(app.Status.ReadyReplicas)), leaving(app, state)}
}

func deploymentRow(deployment *appsv1.Deployment) row {
	return row{
		"Deployment", deployment.Name, number(deployment.Spec.Replicas), strconv.Itoa(int(deployment.Status.ReadyReplicas)),
		leaving(deployment, "image "+deployment.Spec.Template.Spec.Containers[0].Image),
	}
}

// podRows counts pods, which have names that nobody wants to read.
func podRows(pods []corev1.Pod) []row {
	type group struct{ app, phase string }
	counts := map[group]int{}
	for i := range pods {
		phase := string(pods[i].Status.Phase)
		if !pods[i].DeletionTimestamp.IsZero() {
			phase = "being deleted"
		}
		counts[group{pods[i].Labels["app.kubernetes.io/instance"], phase}]++
	}
	rows := make([]row, 0, len(counts))
	for group, n := range counts {
		rows = append(rows, row{kind: "pods", name: group.app, state: fmt.Sprintf("%d %s", n, group.phase)})
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.String(), b.String()) })
	return rows
}

func serviceRow(service *corev1.Service) row {
	state := fmt.Sprintf("port %d", service.Spec.Ports[0].Port)
	if metav1.GetControllerOf(service) == nil {
		state += ", nobody's"
	}
	return row{kind: "Service", name: service.Name, state: leaving(service, state)}
}

// leaving adds to the state of an object that it is being deleted.
func leaving(object client.Object, state string) string {
	if object.GetDeletionTimestamp().IsZero() {
		return state
	}
	return state + ", being deleted"
}

func number(n *int32) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(int(*n))
}
