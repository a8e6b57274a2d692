package contender

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// TestHandwrittenLife holds the loop that trueup is compared with to doing its
// work: from nothing over a change to the end.
func TestHandwrittenLife(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	app := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", UID: "uid"},
		Spec:       v1.MyAppSpec{Image: "img:1", Port: 8080},
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(app).WithStatusSubresource(app).Build()
	key := client.ObjectKeyFromObject(app)
	h := &handwritten{client: c, zone: newZone(), children: createOrUpdate{c}}
	pass := func() {
		t.Helper()
		if result, err := h.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil || !result.IsZero() {
			t.Fatal(result, err)
		}
	}
	get := func(object client.Object) error { return c.Get(t.Context(), key, object) }

	pass()
	deployment := &appsv1.Deployment{}
	if err := get(deployment); err != nil {
		t.Fatal(err)
	}
	if len(h.zone.records) != 1 {
		t.Errorf("the zone has %v", h.zone.records)
	}
	if err := get(app); err != nil {
		t.Fatal(err)
	}
	if len(app.Finalizers) != 1 || len(app.Status.Conditions) != 4 {
		t.Errorf("finalizers %v, conditions %v", app.Finalizers, app.Status.Conditions)
	}

	app.Spec.Image = "img:2"
	if err := c.Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	pass()
	if err := get(deployment); err != nil {
		t.Fatal(err)
	}
	if got := deployment.Spec.Template.Spec.Containers[0].Image; got != "img:2" {
		t.Errorf("the image is %s", got)
	}

	if err := c.Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	pass()
	if err := get(app); !apierrors.IsNotFound(err) {
		t.Errorf("the MyApp is still there: %v", err)
	}
	if len(h.zone.records) != 0 {
		t.Errorf("the zone still has %v", h.zone.records)
	}
	pass()
}
