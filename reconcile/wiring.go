package reconcile

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// wire is everything that steps want to be set up for one kind.
type wire struct {
	home    cluster.Cluster // that the kind is in
	object  client.Object
	gvk     schema.GroupVersionKind
	owned   bool
	indexes []wiredIndex
	sources []wiredSource
}

type wiredIndex struct {
	step string
	name string // as it is registered
	Index
}

type wiredSource struct {
	handler    handler.EventHandler
	predicates []predicate.Predicate
}

// index registers the indexes of the kind, each once however often it is called.
func (w *wire) index(ctx context.Context) error {
	indexer := w.home.GetFieldIndexer()
	for len(w.indexes) > 0 {
		index := w.indexes[0]
		if err := indexer.IndexField(ctx, index.Object, index.name, withoutPanics("index "+index.Name, index.Values)); err != nil {
			return fmt.Errorf("step %q: index %q of %s: %w", index.step, index.Name, w.gvk.Kind, err)
		}
		w.indexes = w.indexes[1:]
	}
	return nil
}

// wiring collects what steps want, by kind in the order of the steps.
type wiring struct {
	home     cluster.Cluster // of the reconciled kind
	pipeline string
	all      []*wire
	faults   []error
}

// of returns the wire of a kind in a place.
func (w *wiring) of(step string, object client.Object, place *Place) *wire {
	home := w.home
	if place != nil && place.cluster != nil {
		home = place.cluster
	}
	gvk, err := apiutil.GVKForObject(object, home.GetScheme())
	if err != nil {
		w.faults = append(w.faults, fmt.Errorf("step %q: %w", step, err))
		return &wire{}
	}
	_, isUnstructured := object.(runtime.Unstructured)
	for _, found := range w.all {
		// The cache keeps typed and unstructured objects apart.
		if _, same := found.object.(runtime.Unstructured); found.gvk == gvk && same == isUnstructured && found.home == home {
			return found
		}
	}
	made := &wire{home: home, object: object, gvk: gvk}
	w.all = append(w.all, made)
	return made
}

// addIndexes adds the indexes of all steps, each once.
func (w *wiring) addIndexes(about Description) {
	about.Walk(func(about Description) {
		for _, index := range about.Indexes {
			wire := w.of(about.Name, index.Object, index.Place)
			name := indexName(w.pipeline, index.Name)
			if !wire.has(name) {
				wire.indexes = append(wire.indexes, wiredIndex{step: about.Name, name: name, Index: index})
			}
		}
	})
}

func (w *wire) has(index string) bool {
	for i := range w.indexes {
		if w.indexes[i].name == index {
			return true
		}
	}
	return false
}

// wires returns what the steps of the pipeline want to be set up.
func (p *Pipeline[T]) wires(mgr ctrl.Manager) ([]*wire, error) {
	w := wiring{home: mgr, pipeline: p.name}
	w.addIndexes(p.root.about)
	p.root.about.Walk(func(about Description) {
		for _, object := range about.Owns {
			wire := w.of(about.Name, object, nil)
			if wire.owned {
				continue
			}
			wire.owned = true
			wire.sources = append(wire.sources, wiredSource{handler: handler.EnqueueRequestForOwner(
				mgr.GetScheme(), mgr.GetRESTMapper(), p.kind.prototype, handler.OnlyControllerOwner())})
		}
		for _, watch := range about.Watches {
			wire := w.of(about.Name, watch.Object, watch.Place)
			handler, err := p.handlerOf(watch, mgr.GetCache(), mgr.GetScheme())
			if err != nil {
				w.faults = append(w.faults, fmt.Errorf("step %q: watch: %w", about.Name, err))
				continue
			}
			wire.sources = append(wire.sources, wiredSource{handler: handler, predicates: watch.Predicates})
		}
	})
	return w.all, errors.Join(w.faults...)
}

// splitByServed splits wires by whether the server knows their kind. Those of
// which it cannot be asked are with the first: setting them up then tells what
// is wrong.
func splitByServed(wires []*wire) (now, later []*wire) {
	for _, wire := range wires {
		if known, err := served(wire.gvk, wire.home.GetRESTMapper()); known || err != nil {
			now = append(now, wire)
		} else {
			later = append(later, wire)
		}
	}
	return now, later
}

// served reports whether the server knows a kind; an error says that it could
// not be asked.
func served(gvk schema.GroupVersionKind, mapper meta.RESTMapper) (bool, error) {
	_, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		return false, nil
	}
	return err == nil, err
}

// sourceOf returns what the events of a wire come from.
func (w *wire) sourceOf(from wiredSource) source.Source {
	return source.Kind(w.home.GetCache(), w.object, from.handler, from.predicates...)
}
