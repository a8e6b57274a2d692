package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// in runs steps in another place.
type in[T client.Object] struct {
	place *Place
	body  child[T]
	about Description
}

// In runs steps, as a [Sequence], against another cluster or as another user:
//
//	reconcile.In(reconcile.As(mgr, rest.ImpersonationConfig{UserName: "tenant"}), deployment, service)
//
// The steps have the clients and the cache of the [Place] for everything that
// they read and write, and what they watch is watched there. The object itself
// stays where it is: its status, its finalizers and its annotations, [Run.Confirm],
// and the events about it are the operator's own.
//
// In another cluster nothing can be owned by a reference to the object, because the
// garbage collector there would take it for an orphan: such steps are refused at
// setup. Children have to be Detached, which has them deleted under a finalizer of
// the object.
//
// Undoing is done in the same place. In within another In counts for its steps
// alone. What the steps ask of the API server is in the rules of
// [Pipeline.PolicyRulesIn].
func In[T client.Object](place *Place, steps ...Step[T]) Step[T] {
	i := &in[T]{place: place, body: newBody(steps)}
	i.about = Description{Name: "in", Kind: "In"}
	switch {
	case place == nil:
		i.about.Err = errors.New("the place is nil")
	case place.err != nil:
		i.about.Err = fmt.Errorf("%s: %w", place.name, place.err)
	}
	i.about.Steps = []Description{i.body.about.movedTo(place)}
	i.body.about = i.about.Steps[0]
	return i
}

// Describe implements [Step].
func (i *in[T]) Describe() Description { return i.about }

// Reconcile implements [Step].
func (i *in[T]) Reconcile(ctx context.Context, run *Run[T]) (Result, error) {
	return i.there(run).reconcile(ctx, &i.body)
}

// Finalize implements [Step].
func (i *in[T]) Finalize(ctx context.Context, run *Run[T]) (Result, error) {
	return i.there(run).finalize(ctx, &i.body)
}

// there returns a run of the same pass in the place.
func (i *in[T]) there(run *Run[T]) *Run[T] {
	derived := run.derive()
	derived.env = i.place.environment(run.env)
	return derived
}

// Home returns the run of the same pass where the object is: its Client, Live and
// Cache are for the object itself, whatever place or item the steps are run for.
// Outside of [In] and [ForEach] it is the run itself.
func (r *Run[T]) Home() *Run[T] { return r.home }

// movedTo returns the description of a step that works in a place, unless it is in
// another already.
func (d Description) movedTo(place *Place) Description {
	d.Access, d.Watches, d.Indexes = slices.Clone(d.Access), slices.Clone(d.Watches), slices.Clone(d.Indexes)
	for i := range d.Access {
		setDefault(&d.Access[i].Place, place)
	}
	for i := range d.Watches {
		setDefault(&d.Watches[i].Place, place)
	}
	for i := range d.Indexes {
		// One that a watch looks up is of the reconciled kind, which stays where it is.
		if !slices.ContainsFunc(d.Watches, func(watch Watch) bool { return watch.Index == d.Indexes[i].Name }) {
			setDefault(&d.Indexes[i].Place, place)
		}
	}
	if place.isForeign() && len(d.Owns) > 0 {
		d.Err = errors.Join(d.Err, fmt.Errorf(
			"an owner reference does not reach from %s to the object; see Detached", place.name))
	}
	if d.Steps != nil {
		d.Steps = slices.Clone(d.Steps)
		for i := range d.Steps {
			d.Steps[i] = d.Steps[i].movedTo(place)
		}
	}
	return d
}

func setDefault(place **Place, value *Place) {
	if *place == nil {
		*place = value
	}
}
