package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

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

// podRows counts the pods of each app, which have names that nobody wants to read.
func podRows(pods []*corev1.Pod) []row {
	counts := map[string]map[string]int{} // by app and phase
	for _, pod := range pods {
		app, phase := pod.Labels["app.kubernetes.io/instance"], string(pod.Status.Phase)
		if !pod.DeletionTimestamp.IsZero() {
			phase = "being deleted"
		}
		if counts[app] == nil {
			counts[app] = map[string]int{}
		}
		counts[app][phase]++
	}
	rows := make([]row, 0, len(counts))
	for _, app := range slices.Sorted(maps.Keys(counts)) {
		states := make([]string, 0, len(counts[app]))
		for _, phase := range slices.Sorted(maps.Keys(counts[app])) {
			states = append(states, fmt.Sprintf("%d %s", counts[app][phase], phase))
		}
		rows = append(rows, row{kind: "pods", name: app, state: strings.Join(states, ", ")})
	}
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
