package reconcile_test

import (
	"context"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// gadget is a kind of the tests' own, with a version that has a status
// subresource and a kind that has none.
func gadgetCRD(plural, kind string, subresource bool) *apiextensionsv1.CustomResourceDefinition {
	version := apiextensionsv1.CustomResourceDefinitionVersion{
		Name: "v1", Served: true, Storage: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object", XPreserveUnknownFields: ptr.To(true),
		}},
	}
	if subresource {
		version.Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + ".gadgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group:    "gadgets.example.com",
			Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: kind},
			Scope:    apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version},
		},
	}
}

// Unstructured owners, with and without a status subresource.
func TestTheStatusOfUnstructuredObjectsIsWritten(t *testing.T) {
	for kind, resource := range map[string]string{"Gadget": "gadgets/status", "PlainGadget": "plaingadgets"} {
		t.Run(kind, func(t *testing.T) {
			shared := cluster.Shared(t)
			namespace := shared.Namespace(t)
			prototype := &unstructured.Unstructured{}
			prototype.SetGroupVersionKind(schema.GroupVersionKind{Group: "gadgets.example.com", Version: "v1", Kind: kind})
			size := int64(1)
			pipeline := reconcile.NewPipeline("test", unstructuredReporter{func(object *unstructured.Unstructured) {
				_ = unstructured.SetNestedField(object.Object, size, "status", "size")
			}}).For(prototype)
			live := steptest.StartLive[*unstructured.Unstructured](t, shared.Config(), scheme(t), []string{namespace}, "test")
			if err := pipeline.Setup(live.Environment); err != nil {
				t.Fatal(err)
			}
			object := prototype.DeepCopy()
			object.SetName("g")
			object.SetNamespace(namespace)
			object.Object["spec"] = map[string]any{"keep": "me"}
			if err := live.User.Create(t.Context(), object); err != nil {
				t.Fatal(err)
			}
			key := client.ObjectKeyFromObject(object)
			for _, size = range []int64{1, 2} {
				live.CaughtUp(t, object)
				live.Requests.Reset()
				if _, err := pipeline.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil {
					t.Fatal(err)
				}
				writes := live.Requests.Writes()
				if len(writes) == 0 || writes[len(writes)-1].Resource != resource {
					t.Errorf("writes = %v, want the last to %s", writes, resource)
				}
				if err := live.User.Get(t.Context(), key, object); err != nil {
					t.Fatal(err)
				}
				got, _, _ := unstructured.NestedInt64(object.Object, "status", "size")
				keep, _, _ := unstructured.NestedString(object.Object, "spec", "keep")
				if got != size || keep != "me" {
					t.Errorf("object = %v, want size %d and the spec as it was", object.Object, size)
				}
				live.CaughtUp(t, object)
				live.Requests.Reset()
				if _, err := pipeline.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil {
					t.Fatal(err)
				}
				if sent := live.Requests.All(); len(sent) > 0 {
					t.Errorf("a second pass sent %v", sent)
				}
			}
		})
	}
}

type unstructuredReporter struct {
	compute func(*unstructured.Unstructured)
}

func (r unstructuredReporter) Describe() reconcile.Description {
	return reconcile.Description{Name: "size", Kind: "test", Reporting: true}
}

func (r unstructuredReporter) Reconcile(_ context.Context, run *reconcile.Run[*unstructured.Unstructured]) (reconcile.Result, error) {
	r.compute(run.Object())
	return reconcile.Continue, nil
}

func (r unstructuredReporter) Finalize(context.Context, *reconcile.Run[*unstructured.Unstructured]) (reconcile.Result, error) {
	return reconcile.Continue, nil
}
