package world

import (
	"context"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reader is the cache of a process.
type reader struct {
	process *Process
	view    *view
}

// Get implements client.Reader.
func (r *reader) Get(ctx context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	v := r.view
	if r.process.dead.Load() {
		return errDead
	}
	kind := v.world.kindOf(into)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.fails(kind); err != nil {
		return err
	}
	absent := apierrors.NewNotFound(schema.GroupResource{Resource: kind}, key.Name)
	objects, stale := v.stale[kind]
	switch {
	case stale:
	case key.Namespace != v.world.Namespace:
		return v.live.Get(ctx, key, into)
	default:
		var err error
		if objects, err = v.all(ctx, kind, into); err != nil {
			return err
		}
	}
	for _, object := range objects {
		if client.ObjectKeyFromObject(object) != key {
			continue
		}
		if selector, ok := v.selects[kind]; ok && !selector.Matches(labels.Set(object.GetLabels())) {
			return absent
		}
		return copyInto(object, into)
	}
	return absent
}

// List implements client.Reader.
func (r *reader) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	v := r.view
	if r.process.dead.Load() {
		return errDead
	}
	kind := v.world.kindOf(list)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.fails(kind); err != nil {
		return err
	}
	asked := (&client.ListOptions{}).ApplyOptions(options)
	objects, stale := v.stale[kind]
	switch {
	case stale:
	case asked.Namespace == v.world.Namespace:
		var err error
		if objects, err = v.all(ctx, kind, list); err != nil {
			return err
		}
	default:
		if err := v.live.List(ctx, list, client.InNamespace(asked.Namespace)); err != nil {
			return err
		}
		objects = objectsOf(list)
	}
	var items []runtime.Object
	for _, object := range objects {
		shown, err := v.shows(kind, asked, object)
		if err != nil {
			return err
		}
		if shown {
			items = append(items, object.DeepCopyObject())
		}
	}
	return meta.SetList(list, items)
}

// shows reports whether a list has the object.
func (v *view) shows(kind string, asked *client.ListOptions, object client.Object) (bool, error) {
	set := labels.Set(object.GetLabels())
	if asked.Namespace != "" && object.GetNamespace() != asked.Namespace ||
		asked.LabelSelector != nil && !asked.LabelSelector.Matches(set) {
		return false, nil
	}
	if selector, ok := v.selects[kind]; ok && !selector.Matches(set) {
		return false, nil
	}
	if asked.FieldSelector == nil {
		return true, nil
	}
	for _, wanted := range asked.FieldSelector.Requirements() {
		index, ok := v.indexes[kind+"/"+wanted.Field]
		if !ok {
			return false, fmt.Errorf("index with name field:%s does not exist", wanted.Field)
		}
		found := false
		for _, value := range index(object) {
			found = found || value == wanted.Value
		}
		if !found {
			return false, nil
		}
	}
	return true, nil
}

func copyInto(object, into client.Object) error {
	from, to := reflect.ValueOf(object.DeepCopyObject()), reflect.ValueOf(into)
	if from.Type() != to.Type() {
		return fmt.Errorf("the cache has a %T, not a %T", object, into)
	}
	to.Elem().Set(from.Elem())
	return nil
}
