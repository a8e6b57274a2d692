package reconcile

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// SetupWithManager makes the pipeline a controller of the manager: it does what
// [Pipeline.Setup] does with the manager's clients, registers the indexes that
// the steps declare, and builds a controller that is woken by the reconciled
// kind, by the kinds that steps own (through the controller reference), and by
// what else they watch, each kind once.
//
// A kind that the server does not know yet, because its CRD is not installed, is
// wired as soon as it appears; it is looked for every ten seconds. The reconciled
// kind itself has to be there.
//
// Of the events of the reconciled kind only those are dropped that this pipeline
// has made itself, by writing finalizers or the status: the pass went on with
// the server's answer, and a failing one is to be retried with backoff, not by
// what it wrote. A quiet pass costs microseconds and no request, and a predicate
// on the generation would miss what somebody does to the annotations or the
// status.
//
// Each customize is given the builder before the controller is made, for
// everything that controller-runtime offers: options, predicates, a log
// constructor, further watches.
func (p *Pipeline[T]) SetupWithManager(mgr ctrl.Manager, customize ...func(*builder.Builder)) error {
	if isNil(mgr) {
		return fmt.Errorf("pipeline %q: the manager is nil", p.name)
	}
	build := ctrl.NewControllerManagedBy(mgr).Named(p.name).For(p.kind.prototype, builder.WithPredicates(p.withoutEchoes()))
	if err := p.SetupWithBuilder(mgr, build); err != nil {
		return err
	}
	build.WatchesRawSource(p.early.source())
	for _, change := range customize {
		if change == nil {
			return fmt.Errorf("pipeline %q: customize: the function is nil", p.name)
		}
		change(build)
	}
	if err := build.Complete(p); err != nil {
		return fmt.Errorf("pipeline %q: build the controller: %w", p.name, err)
	}
	return nil
}

// Setup gives the pipeline the environment to work in, after checking it and
// every step: names, condition types, finalizers, kinds that the scheme does not
// know or that no owner reference can hold on, and what constructors and options
// of steps found wrong. Everything that is wrong is in the error, each with the
// step's name. Call it once, before the first pass; [Pipeline.SetupWithManager]
// does.
func (p *Pipeline[T]) Setup(env Environment) error {
	if p.env != nil {
		return fmt.Errorf("pipeline %q: is set up already", p.name)
	}
	complete, err := env.withDefaults(p.name)
	if err != nil {
		return fmt.Errorf("pipeline %q: %w", p.name, err)
	}
	owner := p.kind.owner()
	if owner == nil {
		err = fmt.Errorf("pipeline %q: the reconciled type must be a pointer to a struct", p.name)
	}
	if err := errors.Join(err, check(p.name, owner, p.root.about, p.former, env.Client)); err != nil {
		return err
	}
	complete.Memory = complete.Memory.partOf(p.name, owner)
	p.meet(complete)
	p.env = complete
	return nil
}

// RegisterIndexes registers with the manager's cache the indexes that steps
// read by, for steps that are run inside a handwritten Reconcile under the name
// given to [NewRun]. [Pipeline.SetupWithManager] does it by itself.
//
// Each step has a name of its own among all that run under that name, by which it
// knows what it has made: two unnamed steps for children of one kind would take
// each other's children for their own of old, and delete them. Give all of
// them in one call: it checks what [Pipeline.Setup] checks of steps, and refuses two of
// one name.
func RegisterIndexes[T client.Object](mgr ctrl.Manager, name string, steps ...Step[T]) error {
	if isNil(mgr) {
		return fmt.Errorf("pipeline %q: the manager is nil", name)
	}
	about := Sequence(steps...).Describe()
	owner := kindOf[T]().owner()
	if _, ok := owner.(runtime.Unstructured); ok {
		owner = nil // its kind is known when there is an object
	}
	if err := check(name, owner, about, nil, mgr.GetClient()); err != nil {
		return err
	}
	wires := wiring{home: mgr, pipeline: name}
	wires.addIndexes(about)
	if err := errors.Join(wires.faults...); err != nil {
		return fmt.Errorf("pipeline %q: %w", name, err)
	}
	for _, wire := range wires.all {
		if err := wire.index(context.Background()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
