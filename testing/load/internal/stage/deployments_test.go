package stage

import (
	"testing"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestRolledOut asks kstatus, by which everybody else goes.
func TestRolledOut(t *testing.T) {
	d := &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", Generation: 3},
		Spec:       appsv1.DeploymentSpec{Replicas: new(int32(2))},
	}
	d.Status = rolledOut(d)
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(d)
	if err != nil {
		t.Fatal(err)
	}
	result, err := status.Compute(&unstructured.Unstructured{Object: content})
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != status.CurrentStatus {
		t.Errorf("a Deployment that is rolled out is %s: %s", result.Status, result.Message)
	}
}
