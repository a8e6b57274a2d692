package faults_test

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/trueup-dev/trueup/examples/myapp/config"
	"github.com/trueup-dev/trueup/testing/faults"
)

// What a change leaves behind is found, and where nothing is left nothing is.
func TestTransitions(t *testing.T) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(config.CRD, crd); err != nil {
		t.Fatal(err)
	}
	for _, bug := range []string{none, neverCleared} {
		t.Run("with "+bug, func(t *testing.T) {
			report := faults.Transitions{
				Sweep: faults.Sweep{Kinds: kinds(t), New: subject(bug), Given: []client.Object{web}, Sample: 30}, Definition: crd,
				// The tag stays of a sort: the API server's default for the pull policy goes by it.
				Values: map[string][]any{"image": {"img:2", "img:3"}, "port": {int64(9090)}, "replicas": {int64(0), int64(3)}},
			}.Run(t)
			t.Log(report)
			if found := len(report.Violations) > 0; found != (bug != none) {
				t.Fatalf("violations: %v", report.Violations)
			}
			for _, violation := range report.Violations {
				if !strings.Contains(violation.Detail, "nodeSelector") {
					t.Errorf("the detail does not tell what is left: %s", violation.Detail)
				}
			}
		})
	}
}
