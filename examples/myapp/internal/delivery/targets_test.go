package delivery_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
)

// What make builds is the operator.
func TestMakeBuilds(t *testing.T) {
	directory := t.TempDir()
	runMake(t, app, nil, "fmt", "build", "ROOT="+directory)
	printed, err := exec.CommandContext(t.Context(), filepath.Join(directory, "bin/manager"), "--print-rbac").Output()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(app, "config/rbac/role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(printed, want) {
		t.Errorf("it prints %s", printed)
	}
}

// make tests. Only one of the tests here, as this is another one.
func TestMakeTests(t *testing.T) {
	if out := runMake(t, app, nil, "test", "PKG=.", "ARGS=-v -run=^TestParse$"); !strings.Contains(out, "--- PASS: TestParse") {
		t.Errorf("it has tested:\n%s", out)
	}
}

// make runs the operator, as whoever is logged in, on the cluster that kubectl goes to.
func TestMakeRuns(t *testing.T) {
	admin := newAdmin(t)
	runMake(t, app, admin.env, "install")
	t.Cleanup(func() { admin.kubectl("delete", "crd/myapps.apps.example.com") })
	probes, err := stage.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.Command("make", "run", "ARGS=--health-probe-bind-address="+probes)
	cmd.Dir, cmd.Env = app, append(os.Environ(), admin.env...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // to interrupt all of them, as a terminal does
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	stop := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); <-ended }
	t.Cleanup(stop)

	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	await := func(what string, check func(context.Context) error) {
		t.Helper()
		if err := stage.Await(ctx, what, check); err != nil {
			stop()
			t.Fatalf("%v; it says:\n%s", err, out.String())
		}
	}
	await("the operator is ready", func(ctx context.Context) error { return isReady(ctx, probes) })
	web := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}, Spec: v1.MyAppSpec{Image: "img:1"}}
	if err := admin.client.Create(ctx, web); err != nil {
		t.Fatal(err)
	}
	await("the app has its Deployment", func(ctx context.Context) error {
		return admin.client.Get(ctx, client.ObjectKeyFromObject(web), &appsv1.Deployment{})
	})
	if err := admin.client.Delete(ctx, web); err != nil {
		t.Fatal(err)
	}
	await("the app is gone", func(ctx context.Context) error {
		if err := admin.client.Get(ctx, client.ObjectKeyFromObject(web), web); err != nil {
			return client.IgnoreNotFound(err)
		}
		return fmt.Errorf("it has %v", web.Finalizers)
	})
}

// isReady returns an error if the operator does not say that it is ready.
func isReady(ctx context.Context, probes string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+probes+"/readyz", nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("it says %s", answer.Status)
	}
	return nil
}
