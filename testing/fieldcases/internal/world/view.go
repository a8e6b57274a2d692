package world

import (
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// view is what caches show: what is there, unless a case has it otherwise.
type view struct {
	world *World
	live  client.Client

	mu      sync.Mutex
	stale   map[string][]client.Object // by kind: what there was at an earlier moment
	selects map[string]labels.Selector // by kind: what the cache is restricted to
	broken  map[string]int             // by kind: how many more reads fail
	indexes map[string]client.IndexerFunc
	known   map[string][]client.Object // by resource: what there is, until somebody writes
}

func (v *view) init(w *World) {
	var err error
	v.world = w
	v.live, err = client.New(w.config, client.Options{Scheme: w.scheme})
	w.Must(err)
	v.stale, v.selects = map[string][]client.Object{}, map[string]labels.Selector{}
	v.broken, v.indexes = map[string]int{}, map[string]client.IndexerFunc{}
	v.known = map[string][]client.Object{}
}

// outdated makes the cache look again at a resource, "" for all: somebody has
// written.
func (v *view) outdated(resource string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if resource == "" {
		clear(v.known)
	}
	delete(v.known, resource)
}

// all returns what there is of a kind in the world's namespace. It is read once
// for many reads: what controllers of the cluster have done since is seen after
// [World.Eventually].
func (v *view) all(ctx context.Context, kind string, prototype runtime.Object) ([]client.Object, error) {
	gvk, err := apiutil.GVKForObject(prototype, v.world.scheme)
	if err != nil {
		return nil, err
	}
	resource, _ := meta.UnsafeGuessKindToResource(gvk.GroupVersion().WithKind(kind))
	if known, ok := v.known[resource.Resource]; ok {
		return known, nil
	}
	list, err := v.world.scheme.New(gvk.GroupVersion().WithKind(kind + "List"))
	if err != nil {
		return nil, err
	}
	if err := v.live.List(ctx, list.(client.ObjectList), client.InNamespace(v.world.Namespace)); err != nil {
		return nil, err
	}
	objects := objectsOf(list.(client.ObjectList))
	v.known[resource.Resource] = objects
	return objects, nil
}

// Stale lets the cache of a kind stay at what there is now, or at the given
// objects.
func (w *World) Stale(kind client.ObjectList, instead ...client.Object) {
	w.t.Helper()
	objects := instead
	if objects == nil {
		w.Must(w.User.List(w.Context(), kind, client.InNamespace(w.Namespace)))
		objects = objectsOf(kind)
	}
	w.view.mu.Lock()
	defer w.view.mu.Unlock()
	w.view.stale[w.kindOf(kind)] = objects
}

// CatchUp ends that for all kinds.
func (w *World) CatchUp() {
	w.view.mu.Lock()
	clear(w.view.stale)
	w.view.mu.Unlock()
	w.change()
}

// Select restricts the cache of a kind to what has the labels.
func (w *World) Select(kind client.ObjectList, set map[string]string) {
	w.view.mu.Lock()
	defer w.view.mu.Unlock()
	w.view.selects[w.kindOf(kind)] = labels.SelectorFromSet(set)
}

// BreakReads lets the next reads of a kind from the cache fail.
func (w *World) BreakReads(kind client.ObjectList, times int) {
	w.view.mu.Lock()
	defer w.view.mu.Unlock()
	w.view.broken[w.kindOf(kind)] = times
}

// kindOf names the kind of an object, or of the items of a list.
func (w *World) kindOf(object runtime.Object) string {
	gvk, err := apiutil.GVKForObject(object, w.scheme)
	w.Must(err)
	kind := gvk.Kind
	if _, ok := object.(client.ObjectList); ok {
		kind = kind[:len(kind)-len("List")]
	}
	return kind
}

func objectsOf(list client.ObjectList) []client.Object {
	var objects []client.Object
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		objects = append(objects, item.(client.Object))
		return nil
	})
	return objects
}

// fails takes one of the reads that are to fail.
func (v *view) fails(kind string) error {
	if v.broken[kind] > 0 {
		v.broken[kind]--
		return apierrors.NewInternalError(fmt.Errorf("etcd has no leader"))
	}
	return nil
}
