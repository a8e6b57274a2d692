package resources

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// thing returns a custom resource of generation 2 with the status given.
func thing(t *testing.T, status string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Thing"}}
	object.SetGeneration(2)
	if status != "" {
		fields := map[string]any{}
		if err := json.Unmarshal([]byte(status), &fields); err != nil {
			t.Fatal(err)
		}
		object.Object["status"] = fields
	}
	return object
}

func TestCustomResourceReadiness(t *testing.T) {
	for name, test := range map[string]struct{ reason, status, want string }{
		"no status":        {"nothing says that there ever will be one", ``, "ready"},
		"no conditions":    {"its controller has nothing to say", `{"phase": "Odd"}`, "ready"},
		"ready":            {"it says so", `{"conditions": [{"type": "Ready", "status": "True"}]}`, "ready"},
		"not ready":        {"it says so", `{"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "message": "it is"}]}`, "Broken"},
		"unknown":          {"it says that it does not know", `{"conditions": [{"type": "Ready", "status": "Unknown", "reason": "Lost", "message": "sight"}]}`, "Lost"},
		"old status":       {"the status is about the previous version", `{"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True"}]}`, "LatestGenerationNotObserved"},
		"current status":   {"the status is about this version", `{"observedGeneration": 2, "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 2}]}`, "ready"},
		"old condition":    {"the condition is not", `{"observedGeneration": 2, "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 1}]}`, "LatestGenerationNotObserved"},
		"old refusal":      {"what was wrong may be mended", `{"conditions": [{"type": "Ready", "status": "False", "reason": "Broken", "observedGeneration": 1}]}`, "LatestGenerationNotObserved"},
		"stalled":          {"it will not get better by itself", `{"conditions": [{"type": "Stalled", "status": "True", "reason": "Invalid", "message": "no"}]}`, "Invalid!"},
		"was stalled":      {"the new version may be better", `{"conditions": [{"type": "Stalled", "status": "True", "reason": "Invalid", "observedGeneration": 1}, {"type": "Ready", "status": "True", "observedGeneration": 2}]}`, "ready"},
		"only was stalled": {"nobody has looked at the new version", `{"conditions": [{"type": "Stalled", "status": "True", "reason": "Invalid", "observedGeneration": 1}]}`, "LatestGenerationNotObserved"},
		"reconciling":      {"it says that it is at it, whatever Ready says", `{"conditions": [{"type": "Ready", "status": "True"}, {"type": "Reconciling", "status": "True", "reason": "Rolling", "message": "m"}]}`, "Rolling"},
		"reconciled":       {"it is not at it any more", `{"conditions": [{"type": "Reconciling", "status": "False"}, {"type": "Ready", "status": "True"}]}`, "ready"},
		"other conditions": {"what they mean is not known", `{"conditions": [{"type": "Shiny", "status": "False"}]}`, "ready"},
		"malformed":        {"no condition looks like that", `{"conditions": ["Ready"]}`, "Unreadable"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ReadinessOf(thing(t, test.status))
			if verdictOf(got) != test.want {
				t.Errorf("%s: got %+v, want %s", test.reason, got, test.want)
			}
		})
	}
}

// pointed has what some APIs have, and MyApp has not.
type pointed struct {
	metav1.PartialObjectMetadata
	Status *struct {
		ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	} `json:"status,omitempty"`
}

func TestReadinessOfTypedCustomResources(t *testing.T) {
	app := func(generation int64, conditions ...metav1.Condition) *v1.MyApp {
		return &v1.MyApp{
			ObjectMeta: metav1.ObjectMeta{Generation: generation},
			Status:     v1.MyAppStatus{ObservedGeneration: generation, Conditions: conditions},
		}
	}
	seen := &pointed{}
	seen.Generation = 1
	seen.Status = &struct {
		ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	}{1}
	unseen := &pointed{}
	unseen.Generation = 1
	for name, test := range map[string]judgement{
		"new":                   {"its type says that it will have conditions", app(1), "LatestGenerationNotObserved"},
		"ready":                 {"it says so", app(1, metav1.Condition{Type: "Ready", Status: "True", ObservedGeneration: 1}), "ready"},
		"old":                   {"that was before", app(2, metav1.Condition{Type: "Ready", Status: "True", ObservedGeneration: 1}), "LatestGenerationNotObserved"},
		"no generation":         {"it was not read from an API server", app(0), "ready"},
		"unobserved":            {"its type says that the generation will be there", unseen, "LatestGenerationNotObserved"},
		"observed":              {"it is", seen, "ready"},
		"of Kubernetes":         {"its conditions are only for trouble", &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Generation: 1}}, "ready"},
		"no status in its type": {"it exists", &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Generation: 1}}, "ready"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ReadinessOf(test.object); verdictOf(got) != test.want {
				t.Errorf("%s: got %+v, want %s", test.reason, got, test.want)
			}
		})
	}
}

func TestReadyCondition(t *testing.T) {
	for name, test := range map[string]struct{ reason, status, want string }{
		"no status":     {"it has to say so", ``, "LatestGenerationNotObserved"},
		"another":       {"it is not the one", `{"conditions": [{"type": "Ready", "status": "True"}]}`, "LatestGenerationNotObserved"},
		"true":          {"it says so", `{"conditions": [{"type": "Programmed", "status": "True"}]}`, "ready"},
		"false":         {"it says why not", `{"conditions": [{"type": "Programmed", "status": "False", "reason": "NoAddress", "message": "m"}]}`, "NoAddress"},
		"old condition": {"that was before", `{"conditions": [{"type": "Programmed", "status": "True", "observedGeneration": 1}]}`, "LatestGenerationNotObserved"},
		"old status":    {"that was before", `{"observedGeneration": 1, "conditions": [{"type": "Programmed", "status": "True"}]}`, "LatestGenerationNotObserved"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ReadyCondition[client.Object]("Programmed")(thing(t, test.status))
			if verdictOf(got) != test.want {
				t.Errorf("%s: got %+v, want %s", test.reason, got, test.want)
			}
		})
	}
}

func TestReadinessOfExtensions(t *testing.T) {
	with := func(kind apiextensionsv1.CustomResourceDefinitionConditionType, status apiextensionsv1.ConditionStatus, reason string) *apiextensionsv1.CustomResourceDefinition {
		return &apiextensionsv1.CustomResourceDefinition{Status: apiextensionsv1.CustomResourceDefinitionStatus{
			Conditions: []apiextensionsv1.CustomResourceDefinitionCondition{{Type: kind, Status: status, Reason: reason}},
		}}
	}
	judge(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", map[string]judgement{
		"new":         {"nobody has looked", &apiextensionsv1.CustomResourceDefinition{}, "Installing"},
		"established": {"it is served", with(apiextensionsv1.Established, "True", "InitialNamesAccepted"), "ready"},
		"conflict":    {"another one has its names", with(apiextensionsv1.NamesAccepted, "False", "ListKindConflict"), "ListKindConflict!"},
	})
	service := thing(t, `{"conditions": [{"type": "Available", "status": "False", "reason": "MissingEndpoints", "message": "m"}]}`)
	service.SetAPIVersion("apiregistration.k8s.io/v1")
	service.SetKind("APIService")
	if got := verdictOf(ReadinessOf(service)); got != "MissingEndpoints" {
		t.Errorf("an API service that is not available: got %s", got)
	}
}
