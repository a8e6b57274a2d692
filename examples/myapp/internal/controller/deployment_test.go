package controller

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// sampleApp is an app with nothing left to its default.
func sampleApp() *v1.MyApp {
	return &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo"},
		Spec: v1.MyAppSpec{
			Image: "img:1", Replicas: new(int32(3)), Port: 9090, NodeSelector: map[string]string{"disk": "ssd"},
		},
	}
}

func TestDesiredDeployment(t *testing.T) {
	app := sampleApp()
	deployment := desiredDeployment(app, "")
	labels := map[string]string{"app.kubernetes.io/name": "myapp", "app.kubernetes.io/instance": "web"}
	pod := deployment.Spec.Template
	for what, diff := range map[string]string{
		"name":            cmp.Diff("web", deployment.Name),
		"labels":          cmp.Diff(labels, deployment.Labels),
		"selector":        cmp.Diff(labels, deployment.Spec.Selector.MatchLabels),
		"labels of pods":  cmp.Diff(labels, pod.Labels),
		"replicas":        cmp.Diff(new(int32(3)), deployment.Spec.Replicas),
		"node selector":   cmp.Diff(map[string]string{"disk": "ssd"}, pod.Spec.NodeSelector),
		"containers":      cmp.Diff(1, len(pod.Spec.Containers)),
		"container image": cmp.Diff("img:1", pod.Spec.Containers[0].Image),
		"container port":  cmp.Diff(int32(9090), pod.Spec.Containers[0].Ports[0].ContainerPort),
	} {
		if diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	if diff := cmp.Diff(sampleApp(), app); diff != "" {
		t.Errorf("the app was changed (-before +after):\n%s", diff)
	}
}

func TestDesiredDeploymentLeavesReplicasToTheirDefault(t *testing.T) {
	app := sampleApp()
	app.Spec.Replicas = nil
	deployment := desiredDeployment(app, "")
	if deployment.Spec.Replicas != nil {
		t.Errorf("replicas are %d, want none", *deployment.Spec.Replicas)
	}
}
