package faults_test

import (
	"context"
	"sync"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/config"
	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

var served = sync.OnceValues(func() (*memory.Kinds, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(config.CRD, crd); err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return memory.NewKinds(scheme, crd)
})

func kinds(t testing.TB) *memory.Kinds {
	t.Helper()
	kinds, err := served()
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

func merge(object client.Object, body string) func(context.Context, client.Client) error {
	return func(ctx context.Context, user client.Client) error {
		return user.Patch(ctx, object.DeepCopyObject().(client.Object), client.RawPatch(types.MergePatchType, []byte(body)))
	}
}

func remove(object client.Object) func(context.Context, client.Client) error {
	return func(ctx context.Context, user client.Client) error {
		return user.Delete(ctx, object.DeepCopyObject().(client.Object))
	}
}
