package cluster

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestStartLeavesNoProbes looks for what a start tries the parts with.
func TestStartLeavesNoProbes(t *testing.T) {
	c := startForTest(t, Full())
	client := clientFor(t, c.Config()).CoreV1()
	pods, err := client.Pods(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods.Items {
		t.Errorf("pod %s/%s is left", pod.Namespace, pod.Name)
	}
	configMaps, err := client.ConfigMaps(metav1.NamespaceSystem).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, configMap := range configMaps.Items {
		if configMap.GenerateName != "" {
			t.Errorf("ConfigMap %s/%s is left", configMap.Namespace, configMap.Name)
		}
	}
}

func TestSchedulerWithoutNodes(t *testing.T) {
	startForTest(t, Options{Scheduler: true}) // is ready although a pod fits nowhere
}
