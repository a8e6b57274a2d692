package cluster

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestStartLeavesNoProbes looks for what a start tries the parts with.
func TestStartLeavesNoProbes(t *testing.T) {
	client := clientFor(t, Shared(t).Config()).CoreV1()
	pods, err := client.Pods(metav1.NamespaceSystem).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods.Items {
		t.Errorf("pod %s is left", pod.Name)
	}
	configMaps, err := client.ConfigMaps(metav1.NamespaceSystem).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, configMap := range configMaps.Items {
		if configMap.GenerateName != "" {
			t.Errorf("ConfigMap %s is left", configMap.Name)
		}
	}
}

func TestSchedulerWithoutNodes(t *testing.T) {
	startForTest(t, Options{Scheduler: true}) // is ready although a pod fits nowhere
}
