package resources

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// odd is a kind of the sort that trips generic code.
type odd struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Nanos    int64                `json:"nanos,omitempty"`
	Selector metav1.LabelSelector `json:"selector"` // required, and meaningful when empty
	Opaque   opaque               `json:"opaque,omitempty"`
	ByNumber map[int32]string     `json:"byNumber,omitempty"`
}

// opaque is a value as protobuf-based APIs have them.
type opaque struct {
	state int
	Host  string
}

func (o opaque) MarshalJSON() ([]byte, error) { return json.Marshal(o.Host) }

func (o *opaque) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &o.Host) }

func (o *odd) DeepCopyObject() runtime.Object {
	out := *o
	o.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func oddScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "odd.example.com", Version: "v1", Kind: "Odd"}, &odd{})
	return scheme
}

func TestCanonicalKeepsWhatIsMeant(t *testing.T) {
	const nanos = int64(1733070662123456789) // no float64 holds it
	object := &odd{ObjectMeta: metav1.ObjectMeta{Name: "o"}, Nanos: nanos, ByNumber: map[int32]string{1: "x"}, Opaque: opaque{state: 1, Host: "h"}}
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	got, err := canonical(raw, object, object, oddScheme())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"apiVersion": "odd.example.com/v1", "kind": "Odd", "metadata": map[string]any{"name": "o"},
		"nanos": nanos, "selector": map[string]any{}, "opaque": "h", "byNumber": map[string]any{"1": "x"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

func TestTypesThatCannotBeComparedAsGoValues(t *testing.T) {
	content := func(host string) map[string]any {
		return map[string]any{"opaque": host, "byNumber": map[string]any{"1": "x"}}
	}
	for host, want := range map[string]bool{"a": true, "b": false} {
		same, err := sameAs[*odd](content("a"), content(host))
		if err != nil || same != want {
			t.Errorf("a and %s: same = %v, %v; want %v", host, same, err, want)
		}
	}
	object := &odd{ByNumber: map[int32]string{1: "x"}, Nanos: 1<<60 + 1}
	got, err := contentOf(object)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"1": "x"}, got["byNumber"]); diff != "" || got["nanos"] != int64(1<<60+1) {
		t.Errorf("content = %v", got)
	}
}

// The index asks the author's function with an object that the cache shares with
// everybody.
func TestTheIndexGuardsTheCache(t *testing.T) {
	step := Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		app.Spec.NodeSelector["defaulted"] = "yes"
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name}}, nil
	})
	cached := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo"}, Spec: v1.MyAppSpec{NodeSelector: map[string]string{"a": "b"}}}
	before := cached.DeepCopy()
	if diff := cmp.Diff([]string{"demo/web"}, step.engine.wantedNames(cached)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, cached); diff != "" {
		t.Errorf("the cache's object was changed (-before +after):\n%s", diff)
	}
	if names := step.engine.wantedNames(&v1.MyApp{}); names != nil {
		t.Errorf("names = %v, want none of a function that panics", names)
	}
	var _ client.IndexerFunc = step.engine.wantedNames
}
