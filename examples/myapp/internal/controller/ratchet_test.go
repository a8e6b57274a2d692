package controller_test

import (
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/trueup-dev/trueup/examples/myapp/config"
	"github.com/trueup-dev/trueup/testing/cluster"
)

// ratcheted is a copy of the CRD in a group of its own, without which the others
// would see it change.
func ratcheted(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(config.CRD, crd); err != nil {
		t.Fatal(err)
	}
	crd.Spec.Group = "ratchet.example.com"
	crd.Name = crd.Spec.Names.Plural + "." + crd.Spec.Group
	crd.Spec.Conversion = nil
	return crd
}

// loosen takes from a schema what values are judged by: as if an earlier version had
// not had it.
func loosen(schema *apiextensionsv1.JSONSchemaProps) {
	schema.XValidations, schema.Minimum, schema.Maximum = nil, nil, nil
	for name, property := range schema.Properties {
		loosen(&property)
		schema.Properties[name] = property
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		loosen(schema.Items.Schema)
	}
}

// What an object holds from before a rule may stay, and the rest of it be changed;
// what is new is judged.
func TestRulesOfTheCRDAreRatcheted(t *testing.T) {
	t.Parallel()
	env := cluster.Shared(t)
	namespace := env.Namespace(t)
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	user, err := client.New(env.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, ctx: t.Context()}
	crd := ratcheted(t)
	for i := range crd.Spec.Versions {
		loosen(crd.Spec.Versions[i].Schema.OpenAPIV3Schema)
	}
	w.must(user.Create(t.Context(), crd))
	app := func(name string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": crd.Spec.Group + "/v1", "kind": "MyApp", "metadata": map[string]any{"namespace": namespace, "name": name},
			"spec": map[string]any{
				"image": "img:1", "port": int64(70000), "config": map[string]any{"a b": "x"},
				"autoscaling": map[string]any{"minReplicas": int64(5), "maxReplicas": int64(2)},
			},
		}}
	}
	w.await("the kind is served", func() error { return user.Create(t.Context(), app("old")) })

	w.await("the CRD has its rules", func() error {
		if err := user.Get(t.Context(), client.ObjectKeyFromObject(crd), crd); err != nil {
			return err
		}
		crd.Spec.Versions = ratcheted(t).Spec.Versions
		return user.Update(t.Context(), crd)
	})
	w.await("the rules hold", func() error {
		if err := user.Create(t.Context(), app("new"), client.DryRunAll); !apierrors.IsInvalid(err) {
			return fmt.Errorf("a new app is answered %w", err)
		}
		return nil
	})
	patch := func(spec string) error {
		return user.Patch(t.Context(), app("old"), client.RawPatch(types.MergePatchType, []byte(`{"spec":`+spec+`}`)))
	}
	for _, spec := range []string{
		`{"image":"img:2"}`, `{"replicas":3}`, `{"autoscaling":{"minReplicas":1}}`, `{"port":8080}`, `{"config":null}`,
	} {
		if err := patch(spec); err != nil {
			t.Errorf("%s is answered %v", spec, err)
		}
	}
	for spec, words := range map[string]string{
		`{"port":70001}`:                    "spec.port",
		`{"config":{"c d":"y"}}`:            "the name of a file may have",
		`{"autoscaling":{"minReplicas":6}}`: "minReplicas must not be more than maxReplicas",
	} {
		if err := patch(spec); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), words) {
			t.Errorf("%s is answered %v, want it refused for %q", spec, err, words)
		}
	}
	w.must(user.Delete(t.Context(), crd))
}
