package cel_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/resources/cel"
)

// thing returns a custom resource of generation 2 in namespace demo.
func thing(t *testing.T, fields string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{}}
	if err := json.Unmarshal([]byte(fields), &object.Object); err != nil {
		t.Fatal(err)
	}
	object.SetNamespace("demo")
	object.SetGeneration(2)
	return object
}

func TestRule(t *testing.T) {
	ready := resources.Readiness{Ready: true}
	unseen := resources.Readiness{Reason: "LatestGenerationNotObserved", Message: "its controller has not seen its latest generation yet"}
	running := cel.Rule{Expression: "self.status.phase == 'Running'"}
	notYet := resources.Readiness{Message: "it does not hold yet that self.status.phase == 'Running'"}
	for name, test := range map[string]struct {
		reason string
		rule   cel.Rule
		fields string
		want   resources.Readiness
	}{
		"true":           {"it holds", running, `{"status": {"phase": "Running"}}`, ready},
		"false":          {"it does not", running, `{"status": {"phase": "Starting"}}`, notYet},
		"missing field":  {"what is not there is not so", running, `{"status": {}}`, notYet},
		"missing status": {"what is not there is not so", running, `{}`, notYet},
		"missing item": {
			"the list is too short", cel.Rule{Expression: "self.status.items[1] == 'a'", Message: "m"},
			`{"status": {"items": ["a"]}}`, resources.Readiness{Message: "m"},
		},
		"old status": {
			"it is about another version", running, `{"status": {"phase": "Running", "observedGeneration": 1}}`, unseen,
		},
		"current status": {
			"it is about this version", running, `{"status": {"phase": "Running", "observedGeneration": 2}}`, ready,
		},
		"words": {
			"the author has some", cel.Rule{Expression: "self.ok", Reason: "NotOk", Message: "it is not"},
			`{"ok": false}`, resources.Readiness{Reason: "NotOk", Message: "it is not"},
		},
		"computed words": {
			"they say more", cel.Rule{Expression: "self.ok", Message: "m", MessageExpression: "'the phase is ' + self.phase"},
			`{"ok": false, "phase": "Odd"}`, resources.Readiness{Message: "the phase is Odd"},
		},
		"no computed words": {
			"the others do", cel.Rule{Expression: "self.ok", Message: "m", MessageExpression: "'the phase is ' + self.phase"},
			`{"ok": false}`, resources.Readiness{Message: "m"},
		},
		"computed words of another type": {
			"the others do", cel.Rule{Expression: "self.ok", Message: "m", MessageExpression: "self.phase"},
			`{"ok": false, "phase": 7}`, resources.Readiness{Message: "m"},
		},
		"not a truth": {
			"it is a text", cel.Rule{Expression: "self.phase"}, `{"phase": "x"}`,
			resources.Readiness{Reason: "ExpressionFailed", Message: "self.phase: is of type string, not bool"},
		},
		"cannot be added": {
			"one is a text", cel.Rule{Expression: "self.a + 1 == 2"}, `{"a": "x"}`,
			resources.Readiness{Reason: "ExpressionFailed", Message: "self.a + 1 == 2: no such overload"},
		},
		"optional field": {
			"the language of Kubernetes has it", cel.Rule{Expression: "self.?status.phase.orValue('none') == 'none'"}, `{}`, ready,
		},
		"quantity": {
			"the libraries of Kubernetes are there",
			cel.Rule{Expression: "quantity(self.status.size).isGreaterThan(quantity('1Gi'))"}, `{"status": {"size": "1025Mi"}}`, ready,
		},
		"reserved word": {
			"self is no identifier of theirs", cel.Rule{Expression: "self.metadata['namespace'] == 'demo'"}, `{}`, ready,
		},
		"numbers": {
			"a count is compared with a number", cel.Rule{Expression: "self.status.count >= 2"}, `{"status": {"count": 2}}`, ready,
		},
		"condition": {
			"lists can be searched",
			cel.Rule{Expression: "self.status.conditions.exists(c, c.type == 'Up' && c.status == 'True')"},
			`{"status": {"conditions": [{"type": "Down"}, {"type": "Up", "status": "True"}]}}`, ready,
		},
	} {
		t.Run(name, func(t *testing.T) {
			judge, err := cel.Test[*unstructured.Unstructured](test.rule)
			if err != nil {
				t.Fatal(err)
			}
			object := thing(t, test.fields)
			before := object.DeepCopy()
			for range 2 {
				if diff := cmp.Diff(test.want, judge(object)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", test.reason, diff)
				}
			}
			if diff := cmp.Diff(before, object); diff != "" {
				t.Errorf("the object was changed:\n%s", diff)
			}
		})
	}
}

func TestRuleOfAGoType(t *testing.T) {
	judge, err := cel.Expression[*appsv1.Deployment]("self.status.readyReplicas >= self.spec.replicas")
	if err != nil {
		t.Fatal(err)
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Generation: 1}, Spec: appsv1.DeploymentSpec{Replicas: new(int32(2))}}
	if got := judge(deployment); got.Ready || got.Reason == "ExpressionFailed" {
		t.Errorf("without ready replicas: %+v", got)
	}
	deployment.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, ReadyReplicas: 2}
	if got := judge(deployment); !got.Ready {
		t.Errorf("with two: %+v", got)
	}
}

func TestRuleMustNotCostTooMuch(t *testing.T) {
	judge, err := cel.Expression[*unstructured.Unstructured](
		"self.a.all(x, self.a.all(y, self.a.all(z, x + y + z >= 0)))")
	if err != nil {
		t.Fatal(err)
	}
	numbers := make([]any, 200)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	got := judge(&unstructured.Unstructured{Object: map[string]any{"a": numbers}})
	if got.Ready || got.Reason != "ExpressionFailed" || !strings.Contains(got.Message, "cost limit exceeded") {
		t.Errorf("got %+v, want it to be cut short", got)
	}
}

func TestRuleIsSafeForConcurrentUse(t *testing.T) {
	judge, err := cel.Test[*unstructured.Unstructured](cel.Rule{Expression: "self.ok", MessageExpression: "string(self.n)"})
	if err != nil {
		t.Fatal(err)
	}
	object := thing(t, `{"ok": false, "n": 3}`)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if got := judge(object); got.Message != "3" {
					t.Errorf("got %+v", got)
				}
			}
		})
	}
	all.Wait()
}
