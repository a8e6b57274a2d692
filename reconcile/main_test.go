package reconcile_test

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/testing/cluster"
)

func TestMain(m *testing.M) {
	// The second of them slows errors down by the time of the last one, which is years
	// away from that of a sweep, whose time is its own.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1] //nolint:reassign // it is there to be set
	cluster.Main(m, cluster.Options{
		CRDPaths: []string{"../examples/myapp/config/crd/bases"},
		CRDs: []*apiextensionsv1.CustomResourceDefinition{
			gadgetCRD("gadgets", "Gadget", true), gadgetCRD("plaingadgets", "PlainGadget", false), widgetCRD(),
		},
	})
}

func scheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1.AddToScheme, addWidgets} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}
