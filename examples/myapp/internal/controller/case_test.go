package controller_test

import (
	"net/http"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/examples/myapp/internal/controller"
	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
	"github.com/trueup-dev/trueup/examples/myapp/lives"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// A first pass over a MyApp, undisturbed and not.
func TestFirstPass(t *testing.T) {
	kinds, err := lives.Kinds()
	if err != nil {
		t.Fatal(err)
	}
	setup := func(mgr ctrl.Manager) error { return controller.NewPipeline(dns.NewZone()).SetupWithManager(mgr) }
	cases := map[string]steptest.Case{
		"new": {Reason: "everything is made at once", Want: steptest.Want{
			Writes:     []string{"patch myapps demo/web", "apply deployments demo/web", "apply services demo/web", "patch myapps/status demo/web"},
			Events:     []string{"Normal Created: created Deployment web", "Normal Created: created Service web"},
			Conditions: map[string]string{"ServiceReady": "True Ready", "Ready": "False LatestGenerationNotObserved"},
			Golden:     "testdata/first-pass.yaml",
		}},
		"refused": {Reason: "one failing does not freeze the other", Refuse: map[string]int{"apply deployments demo/web": http.StatusInternalServerError}, Want: steptest.Want{
			Writes: []string{
				"patch myapps demo/web", "apply deployments demo/web refused: Internal Server Error",
				"apply services demo/web", "patch myapps/status demo/web",
			},
			Events: []string{
				"Normal Created: created Service web",
				`Warning InternalError: Deployment: apply demo/web: an error on the server ("refused by the test") has prevented the request from succeeding (patch deployments.apps web)`,
			},
			Conditions: map[string]string{"DeploymentReady": "False InternalError", "ServiceReady": "True Ready"},
			Error:      "refused by the test",
		}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			test.Kinds, test.Setup, test.Given = kinds, setup, []client.Object{lives.App()}
			test.Run(t)
		})
	}
}
