package resources

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// judgement is a case of a table of readiness: an object, and in a word what is
// said of it: "ready", a reason, or a reason with "!" for a failure.
type judgement struct {
	reason string
	object client.Object
	want   string
}

func verdictOf(got Readiness) string {
	switch {
	case got.Ready:
		return "ready"
	case got.Failed:
		return got.Reason + "!"
	}
	return got.Reason
}

// judge runs a table, over each object as it is and over the same without a Go
// type.
func judge(t *testing.T, apiVersion, kind string, cases map[string]judgement) {
	t.Helper()
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			got := ReadinessOf(test.object)
			if verdictOf(got) != test.want {
				t.Errorf("%s: got %+v, want %s", test.reason, got, test.want)
			}
			if !got.Ready && (got.Message == "" || strings.Contains(got.Message, "%!")) {
				t.Errorf("%s: the message is %q", test.reason, got.Message)
			}
			before := test.object.DeepCopyObject()
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(test.object)
			if err != nil {
				t.Fatal(err)
			}
			untyped := &unstructured.Unstructured{Object: content}
			untyped.SetAPIVersion(apiVersion)
			untyped.SetKind(kind)
			copied := untyped.DeepCopy()
			if diff := cmp.Diff(got, ReadinessOf(untyped)); diff != "" {
				t.Errorf("an unstructured object is judged otherwise (-typed +unstructured):\n%s", diff)
			}
			if diff := cmp.Diff(before, test.object) + cmp.Diff(copied, untyped); diff != "" {
				t.Errorf("the object was changed:\n%s", diff)
			}
		})
	}
}

func TestWhatIsBeingDeletedIsNotReady(t *testing.T) {
	now := metav1.Now()
	judge(t, "v1", "Namespace", map[string]judgement{
		"there":       {reason: "it exists", object: &corev1.Namespace{}, want: "ready"},
		"terminating": {reason: "nothing can be made in it", object: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now}}, want: "Terminating"},
	})
}

func TestReadinessThatCannotBeRead(t *testing.T) {
	broken := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "spec": map[string]any{"replicas": "two"},
	}}
	if got := ReadinessOf(broken); got.Ready || got.Reason != "Unreadable" {
		t.Errorf("got %+v, want it to be unreadable", got)
	}
}

func TestReadinessIsJudgedOnce(t *testing.T) {
	calls := 0
	test := func(*corev1.ConfigMap) Readiness {
		calls++
		return Readiness{}
	}
	known := &record[*corev1.ConfigMap]{version: "1"}
	child := func(version string) *observation[*corev1.ConfigMap] {
		return share(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}})
	}
	for _, version := range []string{"1", "1", "2", "2", "1"} {
		got := known.readiness(child(version), test)
		if got.Ready || got.Reason != "NotReady" || got.Message == "" {
			t.Errorf("the zero Readiness gave %+v, want words for a condition", got)
		}
	}
	if calls != 3 {
		t.Errorf("judged %d times, want 3: once for the version that is as wanted, and each time for another", calls)
	}
}
