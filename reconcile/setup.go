package reconcile

import (
	"context"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// SetupWithManager makes the pipeline a controller of the manager: it does what
// [Pipeline.Setup] does with the manager's clients, registers the indexes that
// the steps declare, and builds a controller that is woken by the reconciled
// kind, by the kinds that steps own (through the controller reference), and by
// what else they watch, each kind once.
//
// The reconciled kind is watched without a predicate: a quiet pass costs
// microseconds and no request, and a predicate on the generation would miss
// what somebody does to the annotations or the status.
//
// Each customize is given the builder before the controller is made, for
// everything that controller-runtime offers: options, predicates, a log
// constructor, further watches.
func (p *Pipeline[T]) SetupWithManager(mgr ctrl.Manager, customize ...func(*builder.Builder)) error {
	if err := p.Setup(EnvironmentOf(mgr, p.name)); err != nil {
		return err
	}
	if err := registerIndexes(mgr, p.name, p.root.about); err != nil {
		return err
	}
	build := ctrl.NewControllerManagedBy(mgr).Named(p.name).For(p.kind.prototype)
	owned := map[schema.GroupVersionKind]bool{}
	var fault error
	p.root.about.Walk(func(about Description) {
		for _, object := range about.Owns {
			gvk, err := apiutil.GVKForObject(object, mgr.GetScheme())
			if err != nil {
				fault = err // cannot be: Setup has asked the same
				continue
			}
			if !owned[gvk] {
				owned[gvk] = true
				build.Owns(object)
			}
		}
		for _, watch := range about.Watches {
			handler, err := p.handlerOf(watch, mgr.GetCache(), mgr.GetScheme())
			if err != nil {
				fault = fmt.Errorf("step %q: watch: %w", about.Name, err)
				continue
			}
			build.Watches(watch.Object, handler, builder.WithPredicates(watch.Predicates...))
		}
	})
	if fault != nil {
		return fmt.Errorf("pipeline %q: %w", p.name, fault)
	}
	for _, change := range customize {
		change(build)
	}
	if err := build.Complete(p); err != nil {
		return fmt.Errorf("pipeline %q: build the controller: %w", p.name, err)
	}
	return nil
}

// Setup gives the pipeline the environment to work in, after checking it and
// every step: names, condition types, finalizers, kinds that the scheme does not
// know or that no owner reference can hold on, and what constructors and options of steps found wrong. Everything that
// is wrong is in the error, each with the step's name. Call it once, before the
// first pass; [Pipeline.SetupWithManager] does.
func (p *Pipeline[T]) Setup(env Environment) error {
	if p.env != nil {
		return fmt.Errorf("pipeline %q: is set up already", p.name)
	}
	complete, err := env.withDefaults(p.name)
	if err != nil {
		return fmt.Errorf("pipeline %q: %w", p.name, err)
	}
	var owner client.Object
	if !reflect.ValueOf(&p.kind.prototype).Elem().IsZero() {
		owner = p.kind.prototype
	}
	if err := check(p.name, owner, p.root.about, env.Client); err != nil {
		return err
	}
	p.env = complete
	return nil
}

// RegisterIndexes registers with the manager's cache the indexes that steps
// read by, for steps that are run inside a handwritten Reconcile under the name
// given to [NewRun]. [Pipeline.SetupWithManager] does it by itself.
func RegisterIndexes[T client.Object](mgr ctrl.Manager, name string, steps ...Step[T]) error {
	return registerIndexes(mgr, name, Sequence(steps...).Describe())
}

// registerIndexes registers the indexes of all steps, each once.
func registerIndexes(mgr ctrl.Manager, pipeline string, about Description) error {
	type key struct {
		gvk  schema.GroupVersionKind
		name string
	}
	seen := map[key]bool{}
	var fault error
	about.Walk(func(about Description) {
		for _, index := range about.Indexes {
			gvk, err := apiutil.GVKForObject(index.Object, mgr.GetScheme())
			if err == nil && !seen[key{gvk, index.Name}] {
				seen[key{gvk, index.Name}] = true
				err = mgr.GetFieldIndexer().IndexField(context.Background(), index.Object, indexName(pipeline, index.Name), index.Values)
			}
			if err != nil && fault == nil {
				fault = fmt.Errorf("pipeline %q: step %q: index %q of %s: %w", pipeline, about.Name, index.Name, gvk.Kind, err)
			}
		}
	})
	return fault
}
