package controller

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestDesiredService(t *testing.T) {
	service, err := desiredService(sampleApp())
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"app.kubernetes.io/name": "myapp", "app.kubernetes.io/instance": "web"}
	want := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: labels},
		Spec: corev1.ServiceSpec{
			Selector: labels,
			Ports:    []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("http")}},
		},
	}
	if diff := cmp.Diff(want, service); diff != "" {
		t.Errorf("Service (-want +got):\n%s", diff)
	}
}

// The Service reaches the pods: it selects their labels, and its target port is
// the name of one of theirs.
func TestServiceReachesPods(t *testing.T) {
	service, err := desiredService(sampleApp())
	if err != nil {
		t.Fatal(err)
	}
	deployment := desiredDeployment(sampleApp(), "")
	pod := deployment.Spec.Template
	if diff := cmp.Diff(pod.Labels, service.Spec.Selector); diff != "" {
		t.Errorf("selector (-labels of pods +selector):\n%s", diff)
	}
	if port := pod.Spec.Containers[0].Ports[0].Name; port != service.Spec.Ports[0].TargetPort.String() {
		t.Errorf("the target port is %s, that of the container %s", service.Spec.Ports[0].TargetPort.String(), port)
	}
}
