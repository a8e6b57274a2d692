package status_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
)

// Unstructured objects have the same conditions as typed ones, and what others
// have in the list stays as it is.
func TestSummarizeUnstructured(t *testing.T) {
	type object = map[string]any
	const old, now = "2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"
	ready := func(status, transition, message string) object {
		return object{
			"type": "Ready", "status": status, "reason": "Ready", "message": message,
			"lastTransitionTime": transition, "observedGeneration": int64(3),
		}
	}
	audited := object{"type": "Audited", "status": "True", "auditor": "ann", "score": int64(7)}
	for name, test := range map[string]struct {
		reason       string
		before, want any
	}{
		"no status":   {"one is made", nil, object{"observedGeneration": int64(3), "conditions": []any{ready("True", now, "every step is ready")}}},
		"null status": {"null is none", object(nil), object{"observedGeneration": int64(3), "conditions": []any{ready("True", now, "every step is ready")}}},
		"others": {
			"what is no condition, has no known fields or repeats stays where it is",
			object{"x": "y", "conditions": []any{"odd", audited, audited, object{"type": "Ready", "status": "False", "lastTransitionTime": old, "note": "mine"}}},
			object{"x": "y", "observedGeneration": int64(3), "conditions": []any{"odd", audited, audited, func() object {
				merged := ready("True", now, "every step is ready")
				merged["note"] = "mine"
				return merged
			}()}},
		},
		"the same": {
			"what says the same already stays, and so does its time",
			object{"observedGeneration": int64(3), "conditions": []any{ready("True", old, "every step is ready")}},
			object{"observedGeneration": int64(3), "conditions": []any{ready("True", old, "every step is ready")}},
		},
		"progress": {
			"what no longer holds goes",
			object{"conditions": []any{object{"type": "Reconciling", "status": "True"}, ready("True", old, "every step is ready")}},
			object{"observedGeneration": int64(3), "conditions": []any{ready("True", old, "every step is ready")}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			gadget := &unstructured.Unstructured{Object: map[string]any{"status": test.before}}
			gadget.SetName("g")
			gadget.SetGeneration(3)
			env := reconcile.Environment{
				Client: fake.NewClientBuilder().Build(), Memory: reconcile.NewMemory(),
				Clock: clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
			}
			run, err := reconcile.NewRun(env, "test", gadget)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := run.Do(t.Context(), status.SummarizeUnstructured()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, gadget.Object["status"]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

func TestSummarizeUnstructuredRefusesWhatIsNoStatus(t *testing.T) {
	for name, test := range map[string]struct {
		status any
		want   string
	}{
		"status":     {"fine", "status is not an object"},
		"conditions": {map[string]any{"conditions": "fine"}, "status.conditions is not a list"},
	} {
		t.Run(name, func(t *testing.T) {
			gadget := &unstructured.Unstructured{Object: map[string]any{"status": test.status}}
			gadget.SetName("g")
			run, err := reconcile.NewRun(reconcile.Environment{Client: fake.NewClientBuilder().Build()}, "test", gadget)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := run.Do(t.Context(), status.SummarizeUnstructured()); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("err = %v, want %q", err, test.want)
			}
		})
	}
}
