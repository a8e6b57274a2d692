package operator

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Get implements [client.Reader].
func (c *Cache) Get(_ context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	gvk, err := apiutil.GVKForObject(into, c.scheme)
	if err != nil {
		return err
	}
	asked := client.GetOptions{}
	asked.ApplyOptions(options)
	found, err := c.read(gvk, key, into)
	if err != nil {
		return err
	}
	shared := asked.UnsafeDisableDeepCopy != nil && *asked.UnsafeDisableDeepCopy
	return fill(into, found, gvk, shared)
}

// read returns what the cache has under a key, in the form of an object.
func (c *Cache) read(gvk schema.GroupVersionKind, key client.ObjectKey, like client.Object) (client.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, err := c.view(gvk).object(c.scheme, key, isTyped(like))
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, apierrors.NewNotFound(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, key.Name)
	}
	return found, nil
}

func isTyped(object client.Object) bool {
	switch object.(type) {
	case runtime.Unstructured, *metav1.PartialObjectMetadata:
		return false
	}
	return true
}

// fill copies what the cache has into an object.
func fill(into, found client.Object, gvk schema.GroupVersionKind, shared bool) error {
	if metadata, ok := into.(*metav1.PartialObjectMetadata); ok {
		content := found.(*unstructured.Unstructured).DeepCopy()
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content.Object, metadata); err != nil {
			return err
		}
		metadata.SetGroupVersionKind(gvk)
		return nil
	}
	if !shared {
		found = found.DeepCopyObject().(client.Object)
	}
	target, value := reflect.ValueOf(into).Elem(), reflect.ValueOf(found).Elem()
	if target.Type() != value.Type() {
		return fmt.Errorf("the cache has a %s, and a %s was asked for", value.Type(), target.Type())
	}
	target.Set(value)
	if !shared {
		into.GetObjectKind().SetGroupVersionKind(gvk)
	}
	return nil
}

// List implements [client.Reader]. Fields can be selected that are indexed.
func (c *Cache) List(_ context.Context, into client.ObjectList, options ...client.ListOption) error {
	gvk, err := apiutil.GVKForObject(into, c.scheme)
	if err != nil {
		return err
	}
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	asked := client.ListOptions{}
	asked.ApplyOptions(options)
	example, err := c.example(into, gvk)
	if err != nil {
		return err
	}
	c.mu.Lock()
	view := c.view(gvk)
	keys := view.keys(asked.Namespace)
	c.mu.Unlock()
	shared := asked.UnsafeDisableDeepCopy != nil && *asked.UnsafeDisableDeepCopy
	items := []runtime.Object{}
	for _, key := range keys {
		found, err := c.read(gvk, key, example)
		if err != nil {
			return err
		}
		if selected, err := c.selects(gvk, asked, found); err != nil || !selected {
			if err != nil {
				return err
			}
			continue
		}
		item := reflect.New(reflect.TypeOf(example).Elem()).Interface().(client.Object)
		if err := fill(item, found, gvk, shared); err != nil {
			return err
		}
		items = append(items, item)
	}
	return meta.SetList(into, items)
}

// example returns an object of the sort that a list is of.
func (c *Cache) example(list client.ObjectList, gvk schema.GroupVersionKind) (client.Object, error) {
	switch list.(type) {
	case runtime.Unstructured:
		return &unstructured.Unstructured{}, nil
	case *metav1.PartialObjectMetadataList:
		return &metav1.PartialObjectMetadata{}, nil
	}
	empty, err := c.scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	object, ok := empty.(client.Object)
	if !ok {
		return nil, fmt.Errorf("%T is no object", empty)
	}
	return object, nil
}

// selects reports whether selectors select an object.
func (c *Cache) selects(gvk schema.GroupVersionKind, options client.ListOptions, object client.Object) (bool, error) {
	if options.LabelSelector != nil && !options.LabelSelector.Matches(labels.Set(object.GetLabels())) {
		return false, nil
	}
	if options.FieldSelector == nil {
		return true, nil
	}
	for _, requirement := range options.FieldSelector.Requirements() {
		c.mu.Lock()
		values, ok := c.indexes[indexKey{gvk, requirement.Field}]
		c.mu.Unlock()
		if !ok {
			return false, fmt.Errorf("Index with name field:%s does not exist", requirement.Field) //nolint:staticcheck // controller-runtime's words
		}
		if !slices.Contains(values(object), requirement.Value) {
			return false, nil
		}
	}
	return true, nil
}

var errNoInformer = errors.New("operator: informers of a test cannot be removed")
