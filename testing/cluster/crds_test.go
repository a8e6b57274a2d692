package cluster

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// gadgetDefinition is in the options as an object.
var gadgetDefinition = &apiextensionsv1.CustomResourceDefinition{
	ObjectMeta: metav1.ObjectMeta{Name: "gadgets.example.com"},
	Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "example.com",
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "gadgets", Kind: "Gadget"},
		Scope: apiextensionsv1.ClusterScoped,
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "v1", Served: true, Storage: true,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
		}},
	},
}

func TestCRDs(t *testing.T) {
	c := apiServer(t)
	if gadgetDefinition.ResourceVersion != "" {
		t.Error("the object in the options should not change")
	}
	client, err := dynamic.NewForConfig(c.Config())
	if err != nil {
		t.Fatal(err)
	}
	namespace := c.Namespace(t)
	if _, err := client.Resource(widgets).Namespace(namespace).Create(t.Context(), newWidget("good", 1), metav1.CreateOptions{}); err != nil {
		t.Errorf("from a path: %v", err)
	}
	if _, err := client.Resource(widgets).Namespace(namespace).Create(t.Context(), newWidget("bad", 0), metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("the schema should be enforced, got %v", err)
	}
	gadget := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": map[string]any{"name": "gadget"},
	}}
	if _, err := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gadgets"}).
		Create(t.Context(), gadget, metav1.CreateOptions{}); err != nil {
		t.Errorf("from an object: %v", err)
	}
}
