package controller_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

func TestBecomesReady(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("web", image, 2)
	w.awaitReady(app)

	ready := func(name, message string) metav1.Condition {
		return metav1.Condition{
			Type: name, Status: metav1.ConditionTrue, ObservedGeneration: 1, Reason: "Ready", Message: message,
		}
	}
	want := v1.MyAppStatus{
		ObservedGeneration: 1,
		Replicas:           2,
		ReadyReplicas:      2,
		Selector:           "app.kubernetes.io/instance=web,app.kubernetes.io/name=myapp",
		Conditions: []metav1.Condition{
			ready("Ready", "every step is ready"), ready("DnsReady", ""), ready("DeploymentReady", ""), ready("ServiceReady", ""),
		},
	}
	if diff := cmp.Diff(want, app.Status, cmpopts.IgnoreFields(metav1.Condition{}, "LastTransitionTime")); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"apps.example.com/dns"}, app.Finalizers); diff != "" {
		t.Errorf("finalizers (-want +got):\n%s", diff)
	}
	if target, _ := w.operator.Zone.Lookup("web." + w.namespace + ".example.com"); target != "web."+w.namespace+".svc" {
		t.Errorf("the zone has %q", target)
	}
	for _, child := range []client.Object{&appsv1.Deployment{}, &corev1.Service{}} {
		child.SetName("web")
		child.SetNamespace(w.namespace)
		w.get(child)
		if !metav1.IsControlledBy(child, app) {
			t.Errorf("%T: owners are %v", child, child.GetOwnerReferences())
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.namespace},
		Spec:       v1.MyAppSpec{Image: image},
	}
	w.must(w.client.Create(w.ctx, app))
	if diff := cmp.Diff(v1.MyAppSpec{Image: image, Replicas: new(int32(1)), Port: 8080}, app.Spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	w.awaitReady(app)
}

func TestStoppedAppIsReady(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("web", image, 0)
	w.awaitReady(app)
}
