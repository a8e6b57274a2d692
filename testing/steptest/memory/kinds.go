package memory

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/endpoints/request"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// Kinds is what servers serve: the kinds of Kubernetes and those of
// CustomResourceDefinitions. Make it once, with [NewKinds], for all servers of a
// test binary: schemas are compiled when it is made. Safe for concurrent use.
type Kinds struct {
	scheme *runtime.Scheme
	mapper meta.RESTMapper

	mu    sync.Mutex
	known map[schema.GroupVersionResource]*kind
}

// NewKinds returns what serves the kinds of a scheme: those of Kubernetes, of which
// each version is served by itself, and those that one of the definitions defines,
// by the version that is stored. A kind of the scheme that is neither is an error
// when it is asked for, as one that is not installed is.
func NewKinds(scheme *runtime.Scheme, definitions ...*apiextensionsv1.CustomResourceDefinition) (*Kinds, error) {
	if scheme == nil {
		return nil, errors.New("kinds: scheme is required")
	}
	k := &Kinds{scheme: scheme, known: map[schema.GroupVersionResource]*kind{}}
	mapper := meta.NewDefaultRESTMapper(scheme.PrioritizedVersionsAllGroups())
	for gvk := range scheme.AllKnownTypes() {
		if !clientgoscheme.Scheme.Recognizes(gvk) || strings.HasSuffix(gvk.Kind, "List") || gvk.Version == runtime.APIVersionInternal {
			continue
		}
		scope := meta.RESTScopeNamespace
		if slices.Contains(clusterScoped, gvk.Kind) {
			scope = meta.RESTScopeRoot
		}
		mapper.Add(gvk, scope)
	}
	for _, definition := range definitions {
		made, err := newCustomKind(definition)
		if err != nil {
			return nil, fmt.Errorf("kind of %s: %w", definition.Name, err)
		}
		k.known[made.resource] = made
		scope := meta.RESTScopeNamespace
		if !made.namespaced {
			scope = meta.RESTScopeRoot
		}
		names := definition.Spec.Names
		mapper.AddSpecific(made.gvk, made.resource, made.resource.GroupVersion().WithResource(names.Singular), scope)
	}
	k.mapper = mapper
	return k, nil
}

// Scheme returns the scheme of the kinds.
func (k *Kinds) Scheme() *runtime.Scheme { return k.scheme }

// Mapper returns the mapper between kinds and resources.
func (k *Kinds) Mapper() meta.RESTMapper { return k.mapper }

// clusterScoped are the kinds of Kubernetes that are in no namespace.
var clusterScoped = []string{
	"Namespace", "Node", "PersistentVolume", "ClusterRole", "ClusterRoleBinding", "StorageClass", "CSIDriver", "CSINode",
	"VolumeAttachment", "IngressClass", "PriorityClass", "RuntimeClass", "CustomResourceDefinition", "APIService",
	"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy",
	"ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
	"CertificateSigningRequest", "FlowSchema", "PriorityLevelConfiguration",
}

// handler returns what answers a request.
func (k *Kinds) handler(info *request.RequestInfo) http.HandlerFunc {
	found, err := k.of(schema.GroupVersionResource{Group: info.APIGroup, Version: info.APIVersion, Resource: info.Resource})
	if err != nil || !info.IsResourceRequest {
		return http.NotFound
	}
	return found.handler(info)
}

// of returns the kind of a resource.
func (k *Kinds) of(resource schema.GroupVersionResource) (*kind, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if found, ok := k.known[resource]; ok {
		return found, nil
	}
	gvk, err := k.mapper.KindFor(resource)
	if err != nil {
		return nil, err
	}
	if gvk.GroupVersion() != resource.GroupVersion() {
		return nil, fmt.Errorf("%s is not served", resource)
	}
	mapping, err := k.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, err
	}
	made, err := newBuiltInKind(gvk, resource, mapping.Scope.Name() == meta.RESTScopeNameNamespace, k.scheme)
	if err != nil {
		return nil, err
	}
	k.known[resource] = made
	return made, nil
}

func keyOf(namespace, name string) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: name}
}
