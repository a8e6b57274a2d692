package status_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
)

// pointed has a pointer to a status.
type pointed struct {
	corev1.ConfigMap
	Status *pointedStatus
}

type pointedStatus struct{ Conditions []metav1.Condition }

func (p *pointed) DeepCopyObject() runtime.Object {
	out := &pointed{ConfigMap: *p.DeepCopy()}
	if p.Status != nil {
		out.Status = &pointedStatus{append([]metav1.Condition(nil), p.Status.Conditions...)}
	}
	return out
}

// A status that is a nil pointer has no conditions, and is not made one in the
// object as it was read, which the cache may hold.
func TestSummarizeOfAPointerToAStatus(t *testing.T) {
	for name, conditions := range map[string]func(*pointed) *[]metav1.Condition{
		"made": func(p *pointed) *[]metav1.Condition {
			if p.Status == nil {
				p.Status = &pointedStatus{}
			}
			return &p.Status.Conditions
		},
		"nil": func(p *pointed) *[]metav1.Condition {
			if p.Status == nil {
				return nil
			}
			return &p.Status.Conditions
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := &pointed{}
			object.SetName("a")
			run, err := reconcile.NewRun(reconcile.Environment{Client: fake.NewClientBuilder().Build()}, "test", object)
			if err != nil {
				t.Fatal(err)
			}
			object.Status = &pointedStatus{} // as an earlier step makes it
			if _, err := run.Do(t.Context(), status.Summarize(conditions)); err != nil {
				t.Error(err)
			}
			if len(object.Status.Conditions) != 1 || run.Original().Status != nil {
				t.Errorf("status = %+v, original's = %+v; want Ready in the first only", object.Status, run.Original().Status)
			}
		})
	}
}
