package memory

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"
)

// storage answers requests for a kind, or for the status of a kind: it does what
// the registry of the API server does, on the store of the request's server.
type storage struct {
	rest.TableConvertor
	*kind
	strategy strategy
}

type storeKey struct{}

// storeOf returns the store of the server that the request was sent to.
func storeOf(ctx context.Context) *store { return ctx.Value(storeKey{}).(*store) }

// at returns what an object of the request is stored under.
func (s *storage) at(ctx context.Context, name string) id {
	return id{s.gvk.GroupKind(), types.NamespacedName{Namespace: s.namespace(ctx), Name: name}}
}

// namespace returns the namespace of the request, "" where there is none: to the
// server, a request about a Namespace is in that namespace.
func (s *storage) namespace(ctx context.Context) string {
	if !s.namespaced {
		return ""
	}
	return request.NamespaceValue(ctx)
}

func (s *storage) New() runtime.Object {
	object, _ := maker{s.kind}.New(s.gvk)
	return object
}

func (s *storage) NewList() runtime.Object {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(s.gvk.GroupVersion().WithKind(s.gvk.Kind + "List"))
	return list
}

func (s *storage) Destroy() {}

func (s *storage) notFound(name string) error {
	return apierrors.NewNotFound(s.resource.GroupResource(), name)
}

// Get implements rest.Getter.
func (s *storage) Get(ctx context.Context, name string, _ *metav1.GetOptions) (runtime.Object, error) {
	store := storeOf(ctx)
	store.mu.Lock()
	defer store.mu.Unlock()
	object, ok := store.objects[s.at(ctx, name)]
	if !ok {
		return nil, s.notFound(name)
	}
	return object.DeepCopy(), nil
}

// List implements rest.Lister.
func (s *storage) List(ctx context.Context, options *internalversion.ListOptions) (runtime.Object, error) {
	store := storeOf(ctx)
	store.mu.Lock()
	defer store.mu.Unlock()
	list := s.NewList().(*unstructured.UnstructuredList)
	list.SetResourceVersion(fmt.Sprint(store.revision))
	list.Items = []unstructured.Unstructured{}
	for _, object := range store.list(s.gvk.GroupKind(), s.namespace(ctx)) {
		if matches(options, object) {
			list.Items = append(list.Items, *object.DeepCopy())
		}
	}
	return list, nil
}

// matches reports whether selectors select an object.
func matches(options *internalversion.ListOptions, object *unstructured.Unstructured) bool {
	if options == nil {
		return true
	}
	names := fields.Set{"metadata.name": object.GetName(), "metadata.namespace": object.GetNamespace()}
	return (options.LabelSelector == nil || options.LabelSelector.Matches(labels.Set(object.GetLabels()))) &&
		(options.FieldSelector == nil || options.FieldSelector.Matches(names))
}

// Create makes an object.
func (s *storage) Create(
	ctx context.Context, obj runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions,
) (runtime.Object, error) {
	store := storeOf(ctx)
	store.mu.Lock()
	defer store.mu.Unlock()
	object := obj.(*unstructured.Unstructured)
	if err := s.prepare(ctx, store, object, validate); err != nil {
		return nil, err
	}
	at := s.at(ctx, object.GetName())
	if there, ok := store.objects[at]; ok {
		err := apierrors.NewAlreadyExists(s.resource.GroupResource(), object.GetName())
		if there.GetDeletionTimestamp() != nil {
			err.ErrStatus.Message = "object is being deleted: " + err.ErrStatus.Message
		}
		return nil, rest.CheckGeneratedNameError(ctx, s.strategy, err, object)
	}
	if dryrun.IsDryRun(options.DryRun) {
		return object, nil
	}
	return store.put(at, object.DeepCopy()).DeepCopy(), nil
}

// prepare makes of what a client sent a new object.
func (s *storage) prepare(ctx context.Context, store *store, object *unstructured.Unstructured, validate rest.ValidateObjectFunc) error {
	if err := store.admits(object, s.kind); err != nil {
		return err
	}
	rest.FillObjectMetaSystemFields(object)
	if object.GetName() == "" && object.GetGenerateName() != "" {
		object.SetName(s.strategy.GenerateName(object.GetGenerateName()))
	}
	object.SetResourceVersion("")
	if err := rest.BeforeCreate(s.strategy, ctx, object); err != nil {
		return err
	}
	if validate == nil {
		return nil
	}
	return validate(ctx, object.DeepCopyObject())
}

// DeleteCollection implements rest.CollectionDeleter.
func (s *storage) DeleteCollection(
	ctx context.Context, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions, which *internalversion.ListOptions,
) (runtime.Object, error) {
	list, err := s.List(ctx, which)
	if err != nil {
		return nil, err
	}
	for _, item := range slices.Clone(list.(*unstructured.UnstructuredList).Items) {
		inNamespace := request.WithNamespace(ctx, item.GetNamespace())
		if _, _, err := s.Delete(inNamespace, item.GetName(), validate, options.DeepCopy()); err != nil && !apierrors.IsNotFound(err) {
			return nil, err
		}
	}
	return list, nil
}
