package reconcile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// odd keeps its metadata where a copy of the struct shares it.
type odd struct {
	metav1.TypeMeta
	*metav1.ObjectMeta
}

func (o *odd) GetObjectKind() schema.ObjectKind { return &o.TypeMeta }

func (o *odd) DeepCopyObject() runtime.Object {
	return &odd{TypeMeta: o.TypeMeta, ObjectMeta: o.DeepCopy()}
}

// A working copy has everything but managedFields, and the object, which may share
// its parts with the cache, stays as it is.
func TestWorkingCopy(t *testing.T) {
	entries := []metav1.ManagedFieldsEntry{{Manager: "somebody", Operation: metav1.ManagedFieldsOperationApply}}
	meta := metav1.ObjectMeta{Name: "a", Labels: map[string]string{"a": "b"}, ManagedFields: entries}
	dynamic := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"a": "b"}}}
	dynamic.SetName("a")
	dynamic.SetManagedFields(entries)
	t.Run("Typed", func(t *testing.T) {
		checkWorkingCopy(t, &corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"a": "b"}})
	})
	t.Run("Unstructured", func(t *testing.T) { checkWorkingCopy(t, dynamic) })
	t.Run("SharedMetadata", func(t *testing.T) { checkWorkingCopy(t, &odd{ObjectMeta: &meta}) })
}

func checkWorkingCopy[T client.Object](t *testing.T, object T) {
	t.Helper()
	before := object.DeepCopyObject().(T)
	got := kindOf[T]().workingCopy(object)
	if diff := cmp.Diff(before, object); diff != "" {
		t.Errorf("the object has changed (-want +got):\n%s", diff)
	}
	before.SetManagedFields(nil)
	if diff := cmp.Diff(before, got); diff != "" {
		t.Errorf("the copy (-want +got):\n%s", diff)
	}
	if labels := got.GetLabels(); labels != nil {
		labels["a"] = "changed"
		if got := object.GetLabels()["a"]; got != "b" {
			t.Errorf("a label of the object is %q: it is shared", got)
		}
	}
}
