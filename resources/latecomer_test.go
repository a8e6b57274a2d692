package resources_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
)

// A kind whose CRD comes after the operator: the step waits, the other steps do
// not, and when the kind is there its child is made and watched.
func TestAKindThatIsNotInstalledIsWaitedFor(t *testing.T) {
	late := schema.GroupVersionKind{Group: "late.example.com", Version: "v1", Kind: "Thing"}
	step := resources.Ensure(func(app *v1.MyApp) (*unstructured.Unstructured, error) {
		return &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": app.Name},
			"spec":     map[string]any{"a": app.Spec.Image},
		}}, nil
	}).Kind(late).When(wanted)
	b := newBench(t, resources.Ensure(desiredConfigMap))
	passed := make(chan reconcile.Report, 100)
	b.control(reconcile.NewPipeline("late", step,
		status.Func(func(_ *v1.MyApp, run *reconcile.Run[*v1.MyApp]) { passed <- run.Reports()[0] })))
	if got := <-passed; got.State != reconcile.StateWaiting || got.Reason != "KindNotInstalled" {
		t.Fatalf("report = %+v, want the step to wait for the kind", got)
	}
	crd := thingCRD("a")
	crd.Name, crd.Spec.Group = "things."+late.Group, late.Group
	b.create(crd)
	b.Cleanup(func() { _ = b.User.Delete(b.background(), crd) })
	child := &unstructured.Unstructured{}
	child.SetGroupVersionKind(late)
	child.SetName("web")
	child.SetNamespace(b.namespace)
	image := func() string {
		got, _, _ := unstructured.NestedString(child.Object, "spec", "a")
		return got
	}
	b.eventually("the child is made", func(ctx testContext) bool {
		return b.User.Get(ctx, clientKey(child), child) == nil && metav1.IsControlledBy(child, b.app)
	})
	if err := unstructured.SetNestedField(child.Object, "theirs", "spec", "a"); err != nil {
		t.Fatal(err)
	}
	b.update(child)
	b.eventually("the drift is seen and repaired", func(ctx testContext) bool {
		return b.User.Get(ctx, clientKey(child), child) == nil && image() == "img:1"
	})
}
