package reconcile_test

import (
	"context"
	"encoding/json"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// widget is a kind of the tests' own with everything in it that makes a status
// hard to handle: fields without omitempty, a default of the server's, unexported
// state, and a spec that only encoding/json can encode.
type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              widgetSpec   `json:"spec,omitempty"`
	Status            widgetStatus `json:"status,omitempty"`
}

type widgetSpec struct {
	Slots map[int32]string `json:"slots,omitempty"`
}

type widgetStatus struct {
	Last   metav1.Time `json:"last,omitempty"`
	Name   *string     `json:"name"`
	Items  []string    `json:"items"`
	Phase  string      `json:"phase,omitempty"` // the server makes it Pending if it is empty
	Serial int64       `json:"serial,omitempty"`
	Opaque *opaque     `json:"opaque,omitempty"`
}

// opaque is like a protobuf message: it has JSON of its own and unexported state.
type opaque struct {
	Host  string
	state int
}

func (o *opaque) MarshalJSON() ([]byte, error) {
	o.state++
	return json.Marshal(map[string]string{"host": o.Host})
}

func (o *opaque) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &struct {
		Host *string `json:"host"`
	}{&o.Host})
}

type widgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []widget `json:"items"`
}

func (w *widget) DeepCopyObject() runtime.Object     { return byJSON(w) }
func (w *widgetList) DeepCopyObject() runtime.Object { return byJSON(w) }

func byJSON[T any](in *T) *T {
	data, err := json.Marshal(in)
	if err != nil {
		panic(err)
	}
	out := new(T)
	if err := json.Unmarshal(data, out); err != nil {
		panic(err)
	}
	return out
}

var widgetKind = schema.GroupVersionKind{Group: "gadgets.example.com", Version: "v1", Kind: "Widget"}

func addWidgets(scheme *runtime.Scheme) error {
	scheme.AddKnownTypeWithName(widgetKind, &widget{})
	scheme.AddKnownTypeWithName(widgetKind.GroupVersion().WithKind("WidgetList"), &widgetList{})
	metav1.AddToGroupVersion(scheme, widgetKind.GroupVersion())
	return nil
}

func widgetCRD() *apiextensionsv1.CustomResourceDefinition {
	crd := gadgetCRD("widgets", widgetKind.Kind, true)
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties = map[string]apiextensionsv1.JSONSchemaProps{
		"status": {
			Type: "object", XPreserveUnknownFields: ptr.To(true),
			Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"phase": {Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"Pending"`)}},
			},
		},
	}
	return crd
}

// widgetBench runs a pipeline by hand that computes the status of one widget.
type widgetBench[T client.Object] struct {
	*testing.T
	*steptest.Live
	pipeline *reconcile.Pipeline[T]
	object   T
}

func newWidgetBench[T client.Object](t *testing.T, object T, compute func(T)) *widgetBench[T] {
	t.Helper()
	shared := cluster.Shared(t)
	object.SetName("w")
	object.SetNamespace(shared.Namespace(t))
	b := &widgetBench[T]{T: t, object: object}
	b.pipeline = reconcile.NewPipeline[T]("test", computed[T]{compute}).For(object.DeepCopyObject().(T))
	b.Live = steptest.StartLive[T](t, shared.Config(), scheme(t), []string{object.GetNamespace()}, "test")
	if err := b.pipeline.Setup(b.Environment); err != nil {
		t.Fatal(err)
	}
	if err := b.User.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	return b
}

// pass makes a pass when the cache has caught up, reads the object and returns
// the number of requests.
func (b *widgetBench[T]) pass() int {
	b.Helper()
	b.CaughtUp(b.T, b.object)
	b.Requests.Reset()
	key := client.ObjectKeyFromObject(b.object)
	if _, err := b.pipeline.Reconcile(b.Context(), ctrl.Request{NamespacedName: key}); err != nil {
		b.Fatal(err)
	}
	sent := len(b.Requests.All())
	if err := b.User.Get(b.Context(), key, b.object); err != nil {
		b.Fatal(err)
	}
	return sent
}

func (b *widgetBench[T]) quiet() {
	b.Helper()
	if sent := b.pass(); sent != 0 {
		b.Errorf("a quiet pass sent %d requests", sent)
	}
}

// computed is a reporting step of a function.
type computed[T client.Object] struct{ compute func(T) }

func (c computed[T]) Describe() reconcile.Description {
	return reconcile.Description{Name: "computed", Kind: "test", Reporting: true}
}

func (c computed[T]) Reconcile(_ context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	c.compute(run.Object())
	return reconcile.Continue, nil
}

func (c computed[T]) Finalize(context.Context, *reconcile.Run[T]) (reconcile.Result, error) {
	return reconcile.Continue, nil
}
