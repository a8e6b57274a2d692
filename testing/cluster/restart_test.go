package cluster

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An API server that is started again has what it had, for the same clients, and its
// end was no failure; the end of the new one would be.
func TestRestartAPIServer(t *testing.T) {
	c := startForTest(t, Options{})
	client := clientFor(t, c.Config()).CoreV1().ConfigMaps(c.Namespace(t))
	stored, err := client.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "stored"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = c.RestartAPIServer(t.Context(), func() {
		if _, err := client.Get(t.Context(), stored.Name, metav1.GetOptions{}); err == nil {
			t.Error("it serves while it is away")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	found, err := client.Get(t.Context(), stored.Name, metav1.GetOptions{})
	if err != nil || found.UID != stored.UID {
		t.Errorf("after the restart: %v, %v", found, err)
	}
	if err := c.Err(); err != nil {
		t.Errorf("the restart is a failure: %v", err)
	}
	c.mu.Lock()
	var order []Component
	for _, r := range c.running {
		order = append(order, r.component)
	}
	latest := c.running[1].process
	c.mu.Unlock()
	if len(order) != 2 || order[0] != Etcd || order[1] != APIServer {
		t.Errorf("they are stopped in the order of %v", order)
	}
	latest.Stop(0)
	<-c.Done()
	if c.Err() == nil {
		t.Error("the end of the new API server is no failure")
	}
}
