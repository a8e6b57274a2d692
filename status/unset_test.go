package status_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
)

// typedGadget is a gadget, of any of the kinds, with a Go type.
type typedGadget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              map[string]string `json:"spec,omitempty"`
	Status            gadgetStatus      `json:"status,omitzero"`
}

type gadgetStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Phase              string             `json:"phase,omitempty"`
	Parts              map[string]string  `json:"parts,omitempty"`
	Names              []string           `json:"names,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

func (g *typedGadget) DeepCopyObject() runtime.Object {
	out := &typedGadget{TypeMeta: g.TypeMeta, ObjectMeta: *g.DeepCopy(), Spec: maps.Clone(g.Spec), Status: g.Status}
	out.Status.Parts = maps.Clone(g.Status.Parts)
	out.Status.Names = slices.Clone(g.Status.Names)
	out.Status.Conditions = slices.Clone(g.Status.Conditions)
	return out
}

type typedGadgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []typedGadget `json:"items"`
}

func (l *typedGadgetList) DeepCopyObject() runtime.Object {
	out := &typedGadgetList{TypeMeta: l.TypeMeta, ListMeta: l.ListMeta}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*typedGadget))
	}
	return out
}

// What a pass sets and the next one does not is gone from the object on the
// server, with one write, while what others set stays: fields, keys of maps, items
// of lists and conditions, whatever the type of the list of conditions, with and
// without a status subresource.
func TestWhatIsNotSetAnyMoreIsUnset(t *testing.T) {
	for _, g := range gadgets {
		t.Run(g.kind+" typed", func(t *testing.T) {
			known := scheme(t)
			known.AddKnownTypeWithName(g.gvk(), &typedGadget{})
			known.AddKnownTypeWithName(g.gvk().GroupVersion().WithKind(g.kind+"List"), &typedGadgetList{})
			metav1.AddToGroupVersion(known, g.gvk().GroupVersion())
			b := newBenchOf(t, known, &typedGadget{Spec: map[string]string{"size": "small"}})
			testUnset(b, func(object *typedGadget, set gadgetStatus) {
				own := meta.FindStatusCondition(set.Conditions, "Mine")
				set.ObservedGeneration, set.Conditions = object.Status.ObservedGeneration, object.Status.Conditions
				if object.Status = set; own != nil {
					meta.SetStatusCondition(&object.Status.Conditions, *own)
				} else {
					meta.RemoveStatusCondition(&object.Status.Conditions, "Mine")
				}
			}, status.Summarize(func(object *typedGadget) *[]metav1.Condition { return &object.Status.Conditions }))
		})
		t.Run(g.kind+" unstructured", func(t *testing.T) {
			testUnset(newBench(t, g.object()), func(object *unstructured.Unstructured, set gadgetStatus) {
				now, _, _ := unstructured.NestedMap(object.Object, "status")
				if now == nil {
					now = map[string]any{}
				}
				items, _ := now["conditions"].([]any)
				items = slices.DeleteFunc(items, func(item any) bool { return item.(map[string]any)["type"] == "Mine" })
				wanted, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&set)
				if err != nil {
					t.Error(err)
				}
				for _, field := range []string{"phase", "parts", "names"} {
					if delete(now, field); wanted[field] != nil {
						now[field] = wanted[field]
					}
				}
				if own, ok := wanted["conditions"].([]any); ok {
					items = append(items, own...)
				}
				now["conditions"] = items
				object.Object["status"] = now
			}, status.SummarizeUnstructured())
		})
	}
}

// testUnset makes passes that set more and less.
func testUnset[T client.Object](b *bench[T], set func(T, gadgetStatus), summary reconcile.Step[T]) {
	b.Helper()
	var want gadgetStatus
	pipeline := b.setUp(reconcile.NewPipeline("test",
		status.Func(func(object T, _ *reconcile.Run[T]) { set(object, want) }), summary))
	mine := metav1.Condition{
		Type: "Mine", Status: metav1.ConditionTrue, Reason: "Set", LastTransitionTime: metav1.NewTime(b.clock.Now().Local()),
	}
	all := gadgetStatus{
		Phase: "Working", Parts: map[string]string{"a": "1", "b": "2"}, Names: []string{"one", "two"}, Conditions: []metav1.Condition{mine},
	}
	check := func(what string, set gadgetStatus, phase, parts, names any, own bool) {
		b.Helper()
		want = set
		_, sent, err := b.pass(pipeline)
		writes := 0
		for _, request := range sent {
			if request.Write() && request.Code < 300 {
				writes++
			}
		}
		if err != nil || writes != 1 {
			b.Errorf("%s: sent %v, %v; want one write", what, sent, err)
		}
		have, _ := b.live().Object["status"].(map[string]any)
		got := map[string]any{"phase": have["phase"], "parts": have["parts"], "names": have["names"]}
		if diff := cmp.Diff(map[string]any{"phase": phase, "parts": parts, "names": names}, got); diff != "" {
			b.Errorf("%s (-want +got):\n%s", what, diff)
		}
		if list := b.conditions(); (meta.FindStatusCondition(list, "Mine") != nil) != own || meta.FindStatusCondition(list, "Ready") == nil {
			b.Errorf("%s: conditions = %+v", what, list)
		}
		b.quiet(what, pipeline)
	}
	everything := []any{"Working", map[string]any{"a": "1", "b": "2"}, []any{"one", "two"}}
	check("all is set", all, everything[0], everything[1], everything[2], true)
	b.sets(func(status map[string]any) {
		status["auditID"] = "7"
		status["conditions"] = append(status["conditions"].([]any), map[string]any{"type": "Audited", "status": "True"})
	})
	some := gadgetStatus{Phase: "Working", Parts: map[string]string{"b": "2"}, Names: []string{"two"}, Conditions: all.Conditions}
	check("some is not", some, "Working", map[string]any{"b": "2"}, []any{"two"}, true)
	check("nothing is", gadgetStatus{}, nil, nil, nil, false)
	check("all is set again", all, everything[0], everything[1], everything[2], true)
	live := b.live()
	if id, _, _ := unstructured.NestedString(live.Object, "status", "auditID"); id != "7" || meta.FindStatusCondition(b.conditions(), "Audited") == nil {
		b.Errorf("what others have set is lost: %v", live.Object["status"])
	}
}
