package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

func TestAPIServerAlone(t *testing.T) {
	c := startForTest(t, Options{})
	client := clientFor(t, c.Config())

	version, err := client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if version.GitVersion != KubernetesVersion && os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Errorf("version: want %s, got %s", KubernetesVersion, version.GitVersion)
	}
	// Nobody makes service accounts here, but pods are admitted.
	namespace := c.Namespace(t)
	if _, err := client.CoreV1().Pods(namespace).Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "image"}}},
	}, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	if got := processesIn(t, c.Directory()); len(got) != 3 {
		t.Errorf("want a watchdog, etcd and an API server, got %s", describe(got))
	}
	info, err := os.Stat(c.Directory())
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the directory should be for this user only, its mode is %s", info.Mode())
	}

	// A watch, which an API server would wait for.
	watch, err := client.CoreV1().ConfigMaps(namespace).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	start := time.Now()
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("stopping should be quick, it took %s", took)
	}
	if got := processesIn(t, c.Directory()); len(got) != 0 {
		t.Errorf("left running are %s", describe(got))
	}
	if exists(c.Directory()) {
		t.Errorf("%s is left", c.Directory())
	}
	<-c.Done()
	if err := c.Err(); err != nil {
		t.Errorf("a regular stop should not be an error, got %v", err)
	}
}

// TestServiceRange makes more Services than a /24 has addresses.
func TestServiceRange(t *testing.T) {
	c := Shared(t)
	client := clientFor(t, c.Config()).CoreV1().Services(c.Namespace(t))
	for i := range 300 {
		if _, err := client.Create(t.Context(), &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("service-%d", i)},
			Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
		}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestKeepDirectoryAndLogs(t *testing.T) {
	logs := filepath.Join(t.TempDir(), "made", "logs")
	c := startForTest(t, Options{KeepDirectory: true, Logs: logs})
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(c.Directory()) })
	if !exists(c.Kubeconfig()) {
		t.Errorf("%s should be kept", c.Directory())
	}
	if c.Logs() != logs || !exists(filepath.Join(logs, "kube-apiserver.log")) {
		t.Errorf("the logs should be in %s", logs)
	}
}

func TestPortOfTheUser(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port

	_, err = Start(t.Context(), Options{Port: port})
	if want := fmt.Sprintf("Options.Port: %d cannot be listened on", port); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("want an error with %q, got %v", want, err)
	}
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	c := startForTest(t, Options{Port: port})
	if want := fmt.Sprintf("https://127.0.0.1:%d", port); c.Config().Host != want {
		t.Errorf("host: want %s, got %s", want, c.Config().Host)
	}
}

// TestPortIsTakenMeanwhile has somebody listen on a port that was free when it
// was chosen.
func TestPortIsTakenMeanwhile(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port
	programs, err := find(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}

	chosen := 0
	c := newCluster(Options{}, programs)
	c.choosePort = func(wanted int) (int, error) {
		if chosen++; chosen == 1 {
			return port, nil
		}
		return choosePort(wanted)
	}
	if err := c.start(t.Context()); err != nil {
		t.Fatalf("another port should be tried, got %v", err)
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	if chosen != 2 {
		t.Errorf("want 2 ports chosen, got %d", chosen)
	}

	c = newCluster(Options{Port: port}, programs)
	c.choosePort = func(int) (int, error) { return port, nil }
	err = c.start(t.Context())
	t.Cleanup(func() { _ = os.RemoveAll(c.Directory()) })
	if want := fmt.Sprintf("Options.Port: %d is in use", port); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("want an error with %q, got %v", want, err)
	}
}

func TestStartIsCancelled(t *testing.T) {
	parent := temporaryDirectory(t)
	t.Setenv("TMPDIR", parent)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		_ = wait.PollUntilContextTimeout(ctx, time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
			return len(clusterDirectories(parent)) > 0, nil
		})
	}()
	_, err := Start(ctx, Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("want the context's error, got %v", err)
	}
	if left := append(processesIn(t, parent), clusterDirectories(parent)...); len(left) > 0 {
		t.Errorf("left are %s", describe(left))
	}
}
