package memory

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/util/dryrun"
)

// errEmptied says that an update has removed the last finalizer of an object that
// is being deleted.
var errEmptied = errors.New("the last finalizer is removed")

// Update implements rest.Updater. An apply comes this way too, and may create.
func (s *storage) Update(
	ctx context.Context, name string, info rest.UpdatedObjectInfo, validateCreate rest.ValidateObjectFunc,
	validate rest.ValidateObjectUpdateFunc, mayCreate bool, options *metav1.UpdateOptions,
) (runtime.Object, bool, error) {
	store := storeOf(ctx)
	store.mu.Lock()
	defer store.mu.Unlock()
	at, dry := s.at(ctx, name), dryrun.IsDryRun(options.DryRun)
	before, exists := store.objects[at]
	if err := s.met(name, before, info.Preconditions()); err != nil {
		return nil, false, err
	}
	if !exists {
		if !mayCreate || s.strategy.forStatus {
			return nil, false, s.notFound(name)
		}
		made, err := info.UpdatedObject(ctx, s.New())
		if err != nil {
			return nil, false, err
		}
		object := made.(*unstructured.Unstructured)
		rest.WipeObjectMetaSystemFields(object)
		if err := s.prepare(ctx, store, object, validateCreate); err != nil || dry {
			return object, true, err
		}
		return store.put(at, object.DeepCopy()).DeepCopy(), true, nil
	}
	object, err := s.updated(ctx, before.DeepCopy(), info, validate)
	switch {
	case errors.Is(err, errEmptied):
		if !dry {
			store.remove(at)
		}
		return object, false, nil
	case err != nil:
		return nil, false, err
	case dry || equality.Semantic.DeepEqual(object.Object, before.Object):
		return object, false, nil
	}
	return store.put(at, object.DeepCopy()).DeepCopy(), false, nil
}

// updated returns what an update makes of an object.
func (s *storage) updated(
	ctx context.Context, before *unstructured.Unstructured, info rest.UpdatedObjectInfo, validate rest.ValidateObjectUpdateFunc,
) (*unstructured.Unstructured, error) {
	obj, err := info.UpdatedObject(ctx, before.DeepCopy())
	if err != nil {
		return nil, err
	}
	object := obj.(*unstructured.Unstructured)
	resource, name := s.resource.GroupResource(), before.GetName()
	switch version := object.GetResourceVersion(); {
	case version == "" && !s.strategy.AllowUnconditionalUpdate(ctx):
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: resource.Group, Kind: resource.Resource}, name, field.ErrorList{field.Invalid(
			field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update")})
	case version != "" && version != before.GetResourceVersion():
		return nil, apierrors.NewConflict(resource, name, errors.New(
			"the object has been modified; please apply your changes to the latest version and try again"))
	}
	object.SetResourceVersion(before.GetResourceVersion())
	if err := rest.BeforeUpdate(s.strategy, ctx, object, before); err != nil {
		return nil, err
	}
	if obj, err = fieldmanager.IgnoreManagedFieldsTimestampsTransformer(ctx, object, before); err != nil {
		return nil, err
	}
	object = obj.(*unstructured.Unstructured)
	if validate != nil {
		if err := validate(ctx, object.DeepCopyObject(), before.DeepCopyObject()); err != nil {
			return nil, err
		}
	}
	grace := before.GetDeletionGracePeriodSeconds()
	if len(object.GetFinalizers()) == 0 && before.GetDeletionTimestamp() != nil && (grace == nil || *grace == 0) {
		return object, errEmptied
	}
	return object, nil
}

// met checks preconditions of an update.
func (s *storage) met(name string, object *unstructured.Unstructured, conditions *metav1.Preconditions) error {
	if conditions == nil || object == nil {
		return nil
	}
	if conditions.UID != nil && *conditions.UID != object.GetUID() {
		return apierrors.NewConflict(s.resource.GroupResource(), name, failed("UID", string(*conditions.UID), string(object.GetUID())))
	}
	if version := conditions.ResourceVersion; version != nil && *version != object.GetResourceVersion() {
		return apierrors.NewConflict(s.resource.GroupResource(), name, failed("ResourceVersion", *version, object.GetResourceVersion()))
	}
	return nil
}

// failed says that a precondition is not met, in the API server's words.
func failed(what, wanted, found string) error {
	text := fmt.Sprintf("Precondition failed: %s in precondition: %s, %s in object meta: %s", what, wanted, what, found)
	return errors.New(text)
}
