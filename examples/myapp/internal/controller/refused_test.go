package controller_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/steptest"
)

func TestCRDRejects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cases := map[string]struct {
		reason string
		name   string
		spec   v1.MyAppSpec
		want   string
	}{
		"no image":          {"an image is required", "web", v1.MyAppSpec{}, "spec.image: Invalid value"},
		"port too high":     {"a port has 16 bits", "web", v1.MyAppSpec{Image: image, Port: 65536}, "spec.port: Invalid value: 65536"},
		"port below 1":      {"0 would be the default", "web", v1.MyAppSpec{Image: image, Port: -1}, "spec.port: Invalid value: -1"},
		"negative replicas": {"there is no negative number of pods", "web", v1.MyAppSpec{Image: image, Replicas: new(int32(-1))}, "spec.replicas: Invalid value: -1"},
		"dots in the name":  {"a Service could not have it", "web.blue", v1.MyAppSpec{Image: image}, "must be a DNS label"},
		"digit in front":    {"a Service could not have it everywhere", "1st", v1.MyAppSpec{Image: image}, "must be a DNS label"},
		"long name":         {"a label could not have it", strings.Repeat("a", 64), v1.MyAppSpec{Image: image}, "must be a DNS label"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: test.name, Namespace: w.namespace}, Spec: test.spec}
			err := w.client.Create(w.ctx, app)
			if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: create answered %v, want Invalid with %q", test.reason, err, test.want)
			}
		})
	}
}

func TestLongestNameWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.awaitReady(w.app(strings.Repeat("a", 63), image, 1))
}

// A node selector that no label can satisfy gets past the CRD, and no further.
func TestInvalidDeployment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.namespace},
		Spec:       v1.MyAppSpec{Image: image, NodeSelector: map[string]string{"disk": "very fast"}},
	}
	w.must(w.client.Create(w.ctx, app))
	words := `spec.template.spec.nodeSelector: Invalid value: "very fast": a valid label must be`
	for _, condition := range []string{"DeploymentReady", "Ready"} {
		if message := w.awaitCondition(app, condition, metav1.ConditionFalse, "Invalid"); !strings.Contains(message, words) {
			t.Errorf("%s says %q, want the server's %q", condition, message, words)
		}
	}
	w.awaitCondition(app, "ServiceReady", metav1.ConditionTrue, "Ready")
	w.awaitCondition(app, "DnsReady", metav1.ConditionTrue, "Ready")

	// It does not spin: each change of the app or its Service is worth a try, and
	// there is none after that.
	w.quiet()
	refused := func(request steptest.Request) bool { return request.Code == http.StatusUnprocessableEntity }
	if tries := w.operator.Requests.All(w.here, refused); len(tries) == 0 || len(tries) > 5 {
		t.Errorf("%d refused requests: %v", len(tries), tries)
	}

	w.patch(app, func() { app.Spec.NodeSelector = map[string]string{"kubernetes.io/os": "linux"} })
	w.awaitReady(app)
}

// An image with a space in front of it is good enough for the CRD and for a
// Deployment, but not for a pod.
func TestDeploymentWithoutPods(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("web", " "+image, 1)
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.namespace}}
	w.await("the Deployment cannot make pods", func() error {
		if err := w.client.Get(w.ctx, client.ObjectKeyFromObject(deployment), deployment); err != nil {
			return err
		}
		for _, condition := range deployment.Status.Conditions {
			if condition.Type == appsv1.DeploymentReplicaFailure && condition.Status == corev1.ConditionTrue {
				return nil
			}
		}
		return fmt.Errorf("conditions %+v", deployment.Status.Conditions)
	})
	w.quiet()
	w.get(app)
	if ready := meta.FindStatusCondition(app.Status.Conditions, "Ready"); ready == nil || ready.Status != metav1.ConditionFalse {
		t.Errorf("Ready is %+v without a pod", ready)
	}

	w.patch(app, func() { app.Spec.Image = image })
	w.awaitReady(app)
}

// inTheWay creates a Service that is nobody's.
func (w *world) inTheWay(name string) *corev1.Service {
	w.Helper()
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 1234}}},
	}
	w.must(w.client.Create(w.ctx, service))
	return service
}

func TestServiceInTheWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	service := w.inTheWay("web")
	before := service.ResourceVersion

	app := w.app("web", image, 1)
	message := w.awaitCondition(app, "ServiceReady", metav1.ConditionFalse, "NotControlled")
	if want := w.namespace + "/web exists and has no controller"; !strings.Contains(message, want) {
		t.Errorf("the condition says %q, want %q", message, want)
	}
	w.awaitCondition(app, "DeploymentReady", metav1.ConditionTrue, "Ready") // which does not wait for it
	w.awaitCondition(app, "Ready", metav1.ConditionFalse, "NotControlled")
	w.quiet()

	w.must(w.client.Delete(w.ctx, app))
	w.await("the Deployment is gone", func() error {
		deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.namespace}}
		err := w.client.Get(w.ctx, client.ObjectKeyFromObject(deployment), deployment)
		if err == nil {
			return errors.New("it is still there")
		}
		return client.IgnoreNotFound(err)
	})
	w.get(service)
	if service.ResourceVersion != before || len(service.OwnerReferences) > 0 {
		t.Errorf("the Service was touched: %+v", service.ObjectMeta)
	}
}

// Nobody tells the app that the way is free, but it does not wait for long.
func TestServiceNoLongerInTheWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	service := w.inTheWay("web")
	app := w.app("web", image, 1)
	w.awaitCondition(app, "ServiceReady", metav1.ConditionFalse, "NotControlled")
	w.awaitCondition(app, "DeploymentReady", metav1.ConditionTrue, "Ready")
	w.quiet() // nothing else will wake the app

	w.must(w.client.Delete(w.ctx, service))
	ctx, cancel := context.WithTimeout(w.ctx, 10*time.Second)
	defer cancel()
	w.must(stage.Await(ctx, "the app has a Service of its own", func(ctx context.Context) error {
		own := &corev1.Service{}
		if err := w.client.Get(ctx, client.ObjectKeyFromObject(service), own); err != nil {
			return err
		}
		if !metav1.IsControlledBy(own, app) {
			return fmt.Errorf("its owners are %v", own.OwnerReferences)
		}
		return nil
	}))
	w.awaitReady(app)
}
