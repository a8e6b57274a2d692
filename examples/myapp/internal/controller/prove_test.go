package controller_test

import (
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/examples/myapp/internal/controller"
	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
	"github.com/trueup-dev/trueup/examples/myapp/lives"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// The whole pipeline in twenty lines, for the page that tells how to prove an operator.
func TestANewMyApp(t *testing.T) {
	kinds, err := lives.Kinds() // memory.NewKinds(scheme, crd), once for all tests
	if err != nil {
		t.Fatal(err)
	}
	steptest.Case{
		Reason: "everything is made at once, and a second pass sends nothing",
		Kinds:  kinds,
		Setup:  func(mgr ctrl.Manager) error { return controller.NewPipeline(dns.NewZone()).SetupWithManager(mgr) },
		Given:  []client.Object{lives.App()},
		Want: steptest.Want{
			Writes: []string{
				"patch myapps demo/web", "apply deployments demo/web",
				"apply services demo/web", "patch myapps/status demo/web",
			},
			Events:     []string{"Normal Created: created Deployment web", "Normal Created: created Service web"},
			Conditions: map[string]string{"ServiceReady": "True Ready"},
		},
	}.Run(t)
}
