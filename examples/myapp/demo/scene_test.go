package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

func TestRows(t *testing.T) {
	pod := func(name string, phase corev1.PodPhase, deleted *metav1.Time) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: name, Labels: map[string]string{"app.kubernetes.io/instance": "web"}, DeletionTimestamp: deleted,
			},
			Status: corev1.PodStatus{Phase: phase},
		}
	}
	objects := map[string]client.Object{}
	for _, object := range []client.Object{
		&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}},
		pod("web-1", corev1.PodRunning, nil),
		pod("web-2", corev1.PodPending, nil),
		pod("web-3", corev1.PodRunning, nil),
		pod("web-4", corev1.PodRunning, &metav1.Time{Time: time.Now()}),
		&appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: "web"},
			Spec: appsv1.DeploymentSpec{Replicas: new(int32(3)), Template: corev1.PodTemplateSpec{
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Image: "img:1"}}},
			}},
			Status: appsv1.DeploymentStatus{ReadyReplicas: 2},
		},
		&v1.MyApp{
			ObjectMeta: metav1.ObjectMeta{Name: "web"},
			Spec:       v1.MyAppSpec{Replicas: new(int32(3))},
			Status: v1.MyAppStatus{ReadyReplicas: 2, Conditions: []metav1.Condition{
				{Type: "Ready", Status: metav1.ConditionFalse, Reason: "LessAvailable", Message: "not all pods"},
			}},
		},
		&v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "new"}},
	} {
		objects[key(object)] = object
	}
	want := []row{
		{"MyApp", "new", "", "0", "Ready=Unknown"},
		{"MyApp", "web", "3", "2", "Ready=False, LessAvailable: not all pods"},
		{"Deployment", "web", "3", "2", "image img:1"},
		{"pods", "web", "", "", "1 Pending, 2 Running, 1 being deleted"},
		{"Service", "web", "", "", "port 80, nobody's"},
		{"DNS record", "web.example.com", "", "", "points to web.svc"},
	}
	got := rows(objects, map[string]string{"web.example.com": "web.svc"})
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}
