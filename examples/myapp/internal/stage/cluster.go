package stage

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/config"
	"github.com/trueup-dev/trueup/testing/cluster"
)

// Scheme knows the kinds of Kubernetes and MyApp.
var Scheme = newScheme()

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1.AddToScheme(scheme))
	return scheme
}

// Options returns the options of a whole cluster on which MyApps are installed,
// and which is stricter than most in one thing: only who may update an owner's
// finalizers may set a reference that blocks its deletion, as some distributions
// have it.
func Options() (cluster.Options, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(config.CRD, crd); err != nil {
		return cluster.Options{}, fmt.Errorf("read the generated CRD: %w", err)
	}
	options := cluster.Full()
	options.CRDs = []*apiextensionsv1.CustomResourceDefinition{crd}
	options.Flags = StrictFlags()
	return options, nil
}

// StrictFlags make the API server strict about who may block a deletion: see
// [Options].
func StrictFlags() map[cluster.Component][]string {
	return map[cluster.Component][]string{
		cluster.APIServer: {"--enable-admission-plugins=NodeRestriction,OwnerReferencesPermissionEnforcement"},
	}
}
