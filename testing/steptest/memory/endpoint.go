package memory

import (
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/storage/names"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// endpoint is one path under which a kind is served, and the API server's handlers
// of the verbs there.
type endpoint struct {
	storage *storage
	scope   *handlers.RequestScope
}

// maxBody is how large a request may be.
const maxBody = 3 << 20

// serve makes the endpoints of a kind.
func (k *kind) serve() error {
	var err error
	if k.object, err = k.endpoint(false); err != nil || !k.status {
		return err
	}
	k.subresource, err = k.endpoint(true)
	return err
}

func (k *kind) endpoint(status bool) (*endpoint, error) {
	scope := k.scope()
	if status {
		scope.Subresource = "status"
	}
	reset := map[fieldpath.APIVersion]*fieldpath.Set{}
	version := fieldpath.APIVersion(k.gvk.GroupVersion().String())
	switch {
	case status:
		reset[version] = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
	case k.status:
		reset[version] = fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
	}
	fields, err := managedfields.NewDefaultCRDFieldManager(k.fields, scope.Convertor, scope.Defaulter, scope.Creater, //nolint:misspell // the API server's word
		k.gvk, k.gvk.GroupVersion(), scope.Subresource, fieldpath.NewExcludeFilterSetMap(reset))
	if err != nil {
		return nil, err
	}
	scope.FieldManager = fields
	rest := &storage{
		TableConvertor: scope.TableConvertor, kind: k,
		strategy: strategy{kind: k, NameGenerator: names.SimpleNameGenerator, ObjectTyper: typer{}, forStatus: status},
	}
	return &endpoint{rest, scope}, nil
}

// patches are the kinds of patches that the API server's handlers know of custom
// resources.
var patches = []string{string(types.JSONPatchType), string(types.MergePatchType), string(types.ApplyYAMLPatchType)}

// handler returns the handler of a verb, nil if there is none. It is for one request,
// as the API server makes them for custom resources.
func (e *endpoint) handler(verb string) http.HandlerFunc {
	admit := admission.NewChainHandler()
	switch verb {
	case "get":
		return handlers.GetResource(e.storage, e.scope)
	case "update":
		return handlers.UpdateResource(e.storage, e.scope, admit)
	case "patch":
		return strategic(e.storage.kind, handlers.PatchResource(e.storage, e.scope, admit, patches))
	}
	if e.scope.Subresource != "" {
		return nil
	}
	switch verb {
	case "list":
		return handlers.ListResource(e.storage, e.storage, e.scope, false, watchTime)
	case "watch":
		return handlers.ListResource(e.storage, e.storage, e.scope, true, watchTime)
	case "create":
		return handlers.CreateResource(e.storage, e.scope, admit)
	case "delete":
		return handlers.DeleteResource(e.storage, true, e.scope, admit)
	case "deletecollection":
		return handlers.DeleteCollection(e.storage, true, e.scope, admit)
	}
	return nil
}

// watchTime is how long a watch lasts at least.
const watchTime = 30 * time.Minute

// scope tells the API server's handlers about a kind.
func (k *kind) scope() *handlers.RequestScope {
	parameters := runtime.NewScheme()
	parameters.AddUnversionedTypes(k.gvk.GroupVersion(), &metav1.ListOptions{}, &metav1.GetOptions{}, &metav1.DeleteOptions{})
	codec := newCodec(k)
	return &handlers.RequestScope{
		Namer:                    handlers.ContextBasedNaming{Namer: meta.NewAccessor(), ClusterScoped: !k.namespaced},
		Serializer:               codec,
		StandardSerializers:      codec.media,
		ParameterCodec:           runtime.NewParameterCodec(parameters),
		Creater:                  maker{k}, //nolint:misspell // the API server's word
		Convertor:                convertor{copies: true},
		Defaulter:                defaulter{k},
		Typer:                    typer{},
		UnsafeConvertor:          convertor{},
		EquivalentResourceMapper: runtime.NewEquivalentResourceRegistry(),
		TableConvertor:           rest.NewDefaultTableConvertor(k.resource.GroupResource()),
		Resource:                 k.resource,
		Kind:                     k.gvk,
		HubGroupVersion:          k.gvk.GroupVersion(),
		MetaGroupVersion:         metav1.SchemeGroupVersion,
		Authorizer:               authorizerfactory.NewAlwaysAllowAuthorizer(),
		MaxRequestBodyBytes:      maxBody,
	}
}

// handler returns what answers a request for an object of the kind.
func (k *kind) handler(info *request.RequestInfo) http.HandlerFunc {
	var found *endpoint
	switch info.Subresource {
	case "":
		found = k.object
	case "status":
		found = k.subresource
	}
	if found == nil || k.namespaced && info.Namespace == "" && info.Name != "" {
		return k.unknown(info)
	}
	if handler := found.handler(info.Verb); handler != nil {
		return handler
	}
	return k.unknown(info)
}
