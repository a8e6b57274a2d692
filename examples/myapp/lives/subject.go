package lives

import (
	"fmt"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/yaml"

	"github.com/trueup-dev/trueup/examples/myapp/config"
	"github.com/trueup-dev/trueup/examples/myapp/internal/controller"
	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/faults"
	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// Kinds returns what the API servers in memory serve. It is made once.
var Kinds = sync.OnceValues(func() (*memory.Kinds, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(config.CRD, crd); err != nil {
		return nil, err
	}
	return memory.NewKinds(stage.Scheme, crd)
})

// Subject returns the operator of MyApps, with a zone of its own.
func Subject() faults.Subject {
	zone := dns.NewZone()
	return faults.Subject{
		Setup:   func(mgr ctrl.Manager) error { return controller.NewPipeline(zone).SetupWithManager(mgr) },
		Outside: func() any { return zone.Records() },
		Always: []faults.Invariant{{
			Name: "the finalizer comes before the record",
			Holds: func(state faults.State) error {
				for host := range zone.Records() {
					app := App()
					if !state.Get(app) || len(app.Finalizers) == 0 {
						return fmt.Errorf("%s has a record that nothing guards", host)
					}
				}
				return nil
			},
		}},
	}
}
