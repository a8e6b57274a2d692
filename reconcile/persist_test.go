package reconcile_test

import (
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
			pipeline := reconcile.NewPipeline("test", computed[*unstructured.Unstructured]{func(object *unstructured.Unstructured) {
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

// What a pass clears is unset, also where the field has no omitempty and is null
// on the wire, as a cleared metav1.Time is.
func TestAClearedStatusIsUnset(t *testing.T) {
	full := true
	b := newWidgetBench(t, &widget{}, func(w *widget) {
		w.Status.Phase = "Known"
		if full {
			w.Status.Last, w.Status.Name, w.Status.Items = metav1.Unix(1000, 0), ptr.To("n"), []string{"a"}
		} else {
			w.Status.Last, w.Status.Name, w.Status.Items = metav1.Time{}, nil, nil
		}
	})
	if sent := b.pass(); sent != 1 || b.object.Status.Last.IsZero() || b.object.Status.Name == nil || len(b.object.Status.Items) != 1 {
		t.Fatalf("%d requests, status = %+v, want all fields in one write", sent, b.object.Status)
	}
	b.quiet()
	full = false
	if sent := b.pass(); sent != 1 || !b.object.Status.Last.IsZero() || b.object.Status.Name != nil || len(b.object.Status.Items) != 0 {
		t.Errorf("%d requests, status = %+v, want the fields unset in one write", sent, b.object.Status)
	}
	b.quiet()
}

// What the server makes of a status is not sent again and again: a default in
// place of what was cleared.
func TestAStatusThatTheServerNormalisesIsSentOnce(t *testing.T) {
	serial := int64(1)
	b := newWidgetBench(t, &widget{}, func(w *widget) { w.Status.Phase, w.Status.Serial = "", serial })
	if sent := b.pass(); sent != 1 || b.object.Status.Phase != "Pending" {
		t.Fatalf("%d requests, status = %+v, want the server's default", sent, b.object.Status)
	}
	b.pass() // tries to clear it
	b.quiet()
	b.quiet()
	serial = 2
	if sent := b.pass(); sent != 1 || b.object.Status.Serial != 2 {
		t.Errorf("%d requests, status = %+v, want what is new to be written", sent, b.object.Status)
	}
	b.pass()
	b.quiet()
}

// A type with unexported fields in its status, and a map in its spec that only
// encoding/json can encode.
func TestAnyTypeThatJSONCanEncode(t *testing.T) {
	const serial = int64(1733070662123456789)
	host := "a"
	object := &widget{Spec: widgetSpec{Slots: map[int32]string{1: "a"}}}
	b := newWidgetBench(t, object, func(w *widget) {
		w.Status.Phase, w.Status.Serial = "Known", serial
		w.Status.Opaque = &opaque{Host: host, state: 7}
	})
	for _, host = range []string{"a", "b"} {
		if sent := b.pass(); sent != 1 || b.object.Status.Opaque == nil || b.object.Status.Opaque.Host != host {
			t.Errorf("%d requests, status = %+v, want host %s in one write", sent, b.object.Status, host)
		}
		if b.object.Status.Serial != serial {
			t.Errorf("serial = %d, want %d: an integer lost digits", b.object.Status.Serial, serial)
		}
		b.quiet()
	}
}

// An author of an unstructured owner may use any of Go's numbers.
func TestNumbersOfAnUnstructuredStatus(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(widgetKind)
	var number any
	b := newWidgetBench(t, object, func(u *unstructured.Unstructured) {
		u.Object["status"] = map[string]any{"phase": "Known", "serial": number}
	})
	number = 3
	if sent := b.pass(); sent != 1 {
		t.Errorf("%d requests, want one", sent)
	}
	for _, number = range []any{3, int64(3), float64(3)} {
		b.quiet()
	}
}
