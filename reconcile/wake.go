package reconcile

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// handlerOf returns the handler of a watch.
func (p *Pipeline[T]) handlerOf(watch Watch, cache client.Reader, scheme *runtime.Scheme) (handler.EventHandler, error) {
	if watch.Handler != nil {
		return watch.Handler(cache), nil
	}
	list, err := p.kind.list(scheme)
	if err != nil {
		return nil, err
	}
	index, values := indexName(p.name, watch.Index), withoutPanics("watch by index "+watch.Index, watch.Values)
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, object client.Object) []ctrl.Request {
		var requests []ctrl.Request
		for _, value := range values(object) {
			found := list.DeepCopyObject().(client.ObjectList)
			err := cache.List(ctx, found, client.MatchingFields{index: value}, client.UnsafeDisableDeepCopy)
			if err != nil {
				log.FromContext(ctx).Error(err, "look up what an event is about", "index", index, "value", value)
				continue
			}
			_ = meta.EachListItem(found, func(item runtime.Object) error {
				if owner, ok := item.(client.Object); ok {
					requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(owner)})
				}
				return nil
			})
		}
		return requests
	}), nil
}

// list returns an empty list of the kind.
func (k objectKind[T]) list(scheme *runtime.Scheme) (client.ObjectList, error) {
	gvk, err := apiutil.GVKForObject(k.prototype, scheme)
	if err != nil {
		return nil, err
	}
	gvk.Kind += "List"
	if _, ok := any(k.prototype).(runtime.Unstructured); ok {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk)
		return list, nil
	}
	object, err := scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	list, ok := object.(client.ObjectList)
	if !ok {
		return nil, fmt.Errorf("%s is not a list", gvk.Kind)
	}
	return list, nil
}
