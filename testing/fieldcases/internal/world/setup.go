package world

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// SetUp sets a pipeline up in a process, as a manager would.
func SetUp[T client.Object](p *Process, pipeline *reconcile.Pipeline[T]) (*reconcile.Pipeline[T], error) {
	if err := pipeline.Setup(p.Env); err != nil {
		return nil, err
	}
	indexing := &indexing{client: p.Env.Client, scheme: p.World.scheme, view: &p.World.view}
	return pipeline, reconcile.RegisterIndexes(indexing, pipeline.Name(), described[T]{pipeline.Describe()})
}

// described is a step that only describes itself.
type described[T client.Object] struct{ about reconcile.Description }

// Describe implements reconcile.Step.
func (d described[T]) Describe() reconcile.Description { return d.about }

// Reconcile implements reconcile.Step.
func (d described[T]) Reconcile(context.Context, *reconcile.Run[T]) (reconcile.Result, error) {
	return reconcile.Continue, nil
}

// Finalize implements reconcile.Step.
func (d described[T]) Finalize(context.Context, *reconcile.Run[T]) (reconcile.Result, error) {
	return reconcile.Continue, nil
}

// indexing is as much of a manager as registering indexes takes.
type indexing struct {
	ctrl.Manager
	client client.Client
	scheme *runtime.Scheme
	view   *view
}

// GetClient implements ctrl.Manager.
func (i *indexing) GetClient() client.Client { return i.client }

// GetScheme implements ctrl.Manager.
func (i *indexing) GetScheme() *runtime.Scheme { return i.scheme }

// GetFieldIndexer implements ctrl.Manager.
func (i *indexing) GetFieldIndexer() client.FieldIndexer { return i }

// IndexField implements client.FieldIndexer.
func (i *indexing) IndexField(_ context.Context, object client.Object, field string, values client.IndexerFunc) error {
	i.view.mu.Lock()
	defer i.view.mu.Unlock()
	i.view.indexes[i.view.world.kindOf(object)+"/"+field] = values
	return nil
}
