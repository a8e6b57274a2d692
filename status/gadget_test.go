package status_test

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
)

// Kinds of the tests' own, whose conditions are a list of either type, with or
// without a status subresource.
var gadgets = []gadget{
	{"mapgadgets", "MapGadget", "map", true},
	{"atomicgadgets", "AtomicGadget", "atomic", true},
	{"plaingadgets", "PlainGadget", "atomic", false},
}

type gadget struct {
	plural, kind, listType string
	subresource            bool
}

// object returns an object of the kind.
func (g gadget) object() *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"size": "small"}}}
	object.SetGroupVersionKind(g.gvk())
	return object
}

func (g gadget) gvk() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "gadgets.example.com", Version: "v1", Kind: g.kind}
}

func gadgetCRDs() []*apiextensionsv1.CustomResourceDefinition {
	crds := make([]*apiextensionsv1.CustomResourceDefinition, len(gadgets))
	for i, g := range gadgets {
		crds[i] = g.crd()
	}
	return crds
}

func (g gadget) crd() *apiextensionsv1.CustomResourceDefinition {
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	conditions := apiextensionsv1.JSONSchemaProps{
		Type: "array", XListType: ptr.To(g.listType),
		Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object", Required: []string{"type", "status"},
			Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"type": text, "status": text, "reason": text, "message": text, "lastTransitionTime": text,
				"observedGeneration": {Type: "integer", Format: "int64"}, "auditor": text,
			},
		}},
	}
	if g.listType == "map" {
		conditions.XListMapKeys = []string{"type"}
	}
	version := apiextensionsv1.CustomResourceDefinitionVersion{
		Name: "v1", Served: true, Storage: true,
		Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object",
			Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"spec": {Type: "object", XPreserveUnknownFields: ptr.To(true)},
				"status": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
					"observedGeneration": {Type: "integer", Format: "int64"},
					"auditID":            text, "phase": text, "conditions": conditions,
					"parts": {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &text}},
					"names": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &text}},
				}},
			},
		}},
	}
	if g.subresource {
		version.Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: g.plural + ".gadgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group:    "gadgets.example.com",
			Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: g.plural, Kind: g.kind},
			Scope:    apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version},
		},
	}
}
