package faults_test

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/trueup-dev/trueup/examples/myapp/config"
	"github.com/trueup-dev/trueup/examples/myapp/lives"
	"github.com/trueup-dev/trueup/testing/faults"
)

// Only the last spec of a MyApp matters.
func TestMyAppTransitions(t *testing.T) {
	kinds, err := lives.Kinds()
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(config.CRD, crd); err != nil {
		t.Fatal(err)
	}
	app := lives.App()
	app.Spec.Replicas, app.Spec.Port, app.Spec.NodeSelector = new(int32(2)), 9090, map[string]string{"disk": "ssd"}
	faults.Transitions{
		Sweep: faults.Sweep{
			Kinds: kinds, New: lives.Subject, Given: []client.Object{app}, Ignore: withoutPullPolicy,
			Sample: sequences(), Seed: 1,
		},
		Definition: crd,
		Values:     values,
	}.Check(t)
}

// sequences is how many sequences of two changes there are.
func sequences() int {
	if raced {
		return 50
	}
	return 500
}

// values are those to give fields that need special ones. Parts that an app need not
// have are led through their changes on a real API server, by TestParts: every pair of
// them here would take hours.
var values = map[string][]any{
	"replicas":                     {int64(0), int64(1), int64(5)},
	"spread":                       {},
	"config":                       {},
	"secretName":                   {},
	"env":                          {},
	"resources.claims":             {},
	"resources.limits":             {},
	"resources.requests":           {},
	"probes.path":                  {},
	"ingress.host":                 {},
	"ingress.className":            {},
	"ingress.tlsSecretName":        {},
	"autoscaling.minReplicas":      {},
	"autoscaling.maxReplicas":      {},
	"autoscaling.cpuPercent":       {},
	"disruption.maxUnavailable":    {},
	"serviceAccount.annotations":   {},
	"networkPolicy.fromNamespaces": {},
}

// withoutPullPolicy takes out what the API server puts into a Deployment by the tag of
// the image that it is made with, and leaves as it is when the image changes: MyApps
// have no say in it.
func withoutPullPolicy(object *unstructured.Unstructured) {
	containers, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
	for _, container := range containers {
		delete(container.(map[string]any), "imagePullPolicy")
	}
	if len(containers) > 0 {
		_ = unstructured.SetNestedSlice(object.Object, containers, "spec", "template", "spec", "containers")
	}
}
