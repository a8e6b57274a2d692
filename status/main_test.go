package status_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/testing/cluster"
)

func TestMain(m *testing.M) {
	cluster.Main(m, cluster.Options{CRDPaths: []string{"../examples/myapp/config/crd/bases"}})
}

func scheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return scheme
}
