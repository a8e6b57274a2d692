package controller_test

import (
	"context"
	"os"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "github.com/trueup-dev/trueup/examples/guide/api/v1"
	"github.com/trueup-dev/trueup/examples/guide/internal/cdn"
	"github.com/trueup-dev/trueup/examples/guide/internal/controller"
	"github.com/trueup-dev/trueup/testing/faults"
	"github.com/trueup-dev/trueup/testing/steptest"
	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

const definition = "../../config/crd/web.example.com_websites.yaml"

var scheme = sync.OnceValues(func() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	kinds := runtime.NewSchemeBuilder(clientgoscheme.AddToScheme, v1.AddToScheme)
	return scheme, kinds.AddToScheme(scheme)
})

// kinds are what the API servers in memory serve. They are made once.
var kinds = sync.OnceValues(func() (*memory.Kinds, error) {
	scheme, err := scheme()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(definition)
	if err != nil {
		return nil, err
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, crd); err != nil {
		return nil, err
	}
	return memory.NewKinds(scheme, crd)
})

func site() *v1.Website {
	return &v1.Website{
		ObjectMeta: metav1.ObjectMeta{Name: "home"},
		Spec:       v1.WebsiteSpec{Pages: map[string]string{"index.html": "Hello"}},
	}
}

func TestFirstPass(t *testing.T) {
	kinds, err := kinds()
	if err != nil {
		t.Fatal(err)
	}
	steptest.Case{
		Reason: "everything is made at once, and a second pass writes nothing",
		Kinds:  kinds,
		Setup:  func(mgr ctrl.Manager) error { return controller.NewPipeline(&cdn.CDN{}).SetupWithManager(mgr) },
		Given:  []client.Object{site()},
		Want: steptest.Want{
			Writes: []string{
				"patch websites demo/home", // the finalizer, before anything that it guards
				"apply configmaps demo/home", "apply deployments demo/home", "apply services demo/home",
				"patch websites/status demo/home",
			},
			Events: []string{
				"Normal Created: created ConfigMap home", "Normal Created: created Deployment home",
				"Normal Created: created Service home",
			},
			Conditions: map[string]string{"ServiceReady": "True Ready"},
		},
	}.Run(t)
}

// Whatever goes wrong, and wherever the operator dies: the end is the same.
func TestSweep(t *testing.T) {
	kinds, err := kinds()
	if err != nil {
		t.Fatal(err)
	}
	faults.Sweep{
		Kinds: kinds,
		New: func() faults.Subject {
			world := &cdn.CDN{}
			return faults.Subject{
				Setup:   func(mgr ctrl.Manager) error { return controller.NewPipeline(world).SetupWithManager(mgr) },
				Outside: func() any { return world.Sites() },
			}
		},
		Given:  []client.Object{site()},
		Sample: 60, // of 280 things that can go wrong; without it, all of them
		Changes: []faults.Change{
			{Name: "new pages", Do: func(ctx context.Context, user client.Client) error {
				body := []byte(`{"spec":{"pages":{"index.html":"Hello again"}}}`)
				return user.Patch(ctx, site(), client.RawPatch(types.MergePatchType, body))
			}},
			{Name: "delete", Do: func(ctx context.Context, user client.Client) error { return user.Delete(ctx, site()) }},
		},
	}.Check(t)
}
