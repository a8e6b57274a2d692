package reconcile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// A Pipeline is the controller of a kind: steps, and everything around them
// that is the same for every object. It is a Reconciler of controller-runtime.
//
// A pass, that is one call of [Pipeline.Reconcile], goes in this order:
//
//  1. The object is read from the cache. If it is gone, the pass is over and
//     what was remembered of it is forgotten.
//  2. If it is being deleted, see below. Otherwise the finalizers that the steps
//     need and that it lacks are added, former ones are replaced, and so are the
//     annotations that go with them, in one patch under an optimistic lock
//     that touches nothing else. The pass goes on with the answer. If they cannot
//     be added no step runs; 4 to 7 follow, with a report of "finalizers".
//  3. The steps run as a [Sequence]. Finalizers that a step does not need any
//     more are taken off when it has returned [Continue].
//  4. The reporting steps run, whatever came of 3.
//  5. The status is written, in one patch under an optimistic lock and only if it
//     differs from what was read. After a conflict the object is read again,
//     past the cache, and what this pass changed is merged into what is there,
//     conditions by their type. A kind without a status subresource has its
//     status written to the object. A pass whose time is up, as that of the
//     controller's ReconciliationTimeout, has ten seconds more for 4 and 5.
//  6. A step that has newly failed, or stalled, is told in a Warning event. While it fails for
//     the same reason at the same generation of the object that is not new unless
//     the error is a different one, see [Report], and neither are its words.
//  7. The joined outcome of all steps is returned, see [Join] and [Return].
//
// Of an object that is being deleted and has one of the pipeline's finalizers,
// the steps are finalized in reverse order. When all of them have returned
// [Continue], the pipeline's finalizers are taken off in one patch under an
// optimistic lock that leaves others' in place, and nothing else happens in that
// pass; only if others' finalizers keep the object, the status is made to name
// them first. Otherwise, also if they cannot be taken off, 4 to 7 follow. Without
// one of the finalizers nothing is done: steps never run forward on an object that
// is being deleted.
//
// The error of a pass is retried with backoff by controller-runtime unless
// [IsTerminal]. Make one with [NewPipeline]; it is safe for concurrent use once
// it is set up.
type Pipeline[T client.Object] struct {
	name     string
	root     child[T]
	guards   []Description // of the steps that have finalizers, now or formerly
	former   []string      // finalizers that no step has any more
	roster   *roster
	tracer   Tracer
	kind     objectKind[T]
	written  *Memo[T]
	answered *Memo[answers]
	plain    *Memo[struct{}]          // set if the kind has no status subresource
	futile   *Memo[[sha256.Size]byte] // digest of the last write that changed nothing
	early    early
	env      *Environment
}

// NewPipeline makes a pipeline that runs the steps as a [Sequence]. The name is
// the controller's: it is part of logs, metrics, events and of the marks on
// children, and by default it is the field manager under which steps apply, so
// it must stay the same over the versions of an operator. It must be a DNS label.
//
// Nothing is checked before setup: see [Pipeline.Setup].
func NewPipeline[T client.Object](name string, steps ...Step[T]) *Pipeline[T] {
	p := &Pipeline[T]{
		name:     name,
		root:     newChild(Sequence(steps...)),
		roster:   newRoster(),
		kind:     kindOf[T](),
		written:  NewMemo[T](),
		answered: NewMemo[answers](),
		plain:    NewMemo[struct{}](),
		futile:   NewMemo[[sha256.Size]byte](),
	}
	p.root.about.Walk(func(about Description) {
		if len(about.Finalizers) > 0 || len(about.FormerFinalizers) > 0 {
			p.guards = append(p.guards, about)
		}
		if about.leaf() {
			p.roster.add(&about)
		}
	})
	return p
}

// For sets the prototype of the reconciled object. It is needed for
// unstructured objects only, whose apiVersion and kind it gives.
func (p *Pipeline[T]) For(prototype T) *Pipeline[T] {
	p.kind.prototype = prototype
	return p
}

// FormerFinalizers names finalizers that steps of earlier versions of the
// operator had and that no step has any more. They are taken off an object in
// the write that puts the others on, and off one that is being deleted when the
// steps are undone. What such a finalizer guarded is left to the author: see
// [Description.FormerFinalizers] for one that was only renamed, and package
// resources for what a removed step made.
func (p *Pipeline[T]) FormerFinalizers(names ...string) *Pipeline[T] {
	p.former = append(p.former, names...)
	return p
}

// Name returns the pipeline's name.
func (p *Pipeline[T]) Name() string { return p.name }

// Describe returns the description of the pipeline's steps.
func (p *Pipeline[T]) Describe() Description {
	about := p.root.about
	about.Name, about.Kind = p.name, "Pipeline"
	return about
}

// Reconcile implements controller-runtime's Reconciler: it makes one pass, as
// the comment of [Pipeline] tells it.
func (p *Pipeline[T]) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	if p.env == nil {
		return ctrl.Result{}, forController(Terminal(fmt.Errorf("pipeline %s: Reconcile was called before Setup", p.name)))
	}
	object := p.kind.empty(req.NamespacedName)
	if err := p.env.peek(ctx, req.NamespacedName, object); err != nil {
		if apierrors.IsNotFound(err) {
			p.env.Memory.Forget(req.NamespacedName)
			return ctrl.Result{}, nil
		}
		return ctrl.Result{}, fmt.Errorf("read %s %s: %w", p.kind, req.NamespacedName, err)
	}
	run := p.begin(object)
	defer p.early.release(req.NamespacedName, func(version string) bool { return p.wrote(run.memory, version) })
	run.listen(ctx)
	result, err := p.traced(ctx, run)
	if err != nil && afterOf(err) > 0 && IsTerminal(err) {
		log.FromContext(ctx).Error(err, "a step failed for good; another asked to run again", "after", afterOf(err).String())
	}
	return Return(result, err)
}

// begin makes the run of a pass over an object that was read from the cache.
func (p *Pipeline[T]) begin(cached T) *Run[T] {
	run := newRun(p.env, p.name, cached, cached)
	run.around = p
	p.settle(run)
	run.reports.expect(p.roster, run.room[:])
	return run
}

// pass makes a pass.
func (p *Pipeline[T]) pass(ctx context.Context, run *Run[T]) (Result, error) {
	if !isDeleted(run.object) {
		if err := p.hold(ctx, run); err != nil {
			return p.refused(ctx, run, err)
		}
		run.memory.failures.forget(finalizersStep)
	}
	if isDeleted(run.object) {
		return p.finalize(ctx, run)
	}
	var join Join
	join.Add(run.reconcile(ctx, &p.root))
	if err := p.letGo(ctx, run); err != nil {
		if errors.Is(err, errGone) {
			return Continue, nil
		}
		run.record(&Description{Name: finalizersStep}, Result{}, err)
		join.Add(Result{}, err)
	}
	result, err := join.Outcome()
	return p.conclude(ctx, run, result, err)
}

// finalize undoes the steps of an object that is being deleted.
func (p *Pipeline[T]) finalize(ctx context.Context, run *Run[T]) (Result, error) {
	if !p.holds(run.object) {
		return Continue, nil
	}
	result, err := run.finalize(ctx, &p.root)
	if err != nil || result.outcome != Continued {
		return p.conclude(ctx, run, result, err)
	}
	if err := p.handOver(ctx, run); err != nil {
		return Result{}, err
	}
	if err := p.release(ctx, run); err != nil {
		return p.refused(ctx, run, err)
	}
	return Continue, nil
}

// conclude lets the reporting steps speak, writes the status and joins what
// came of it all.
func (p *Pipeline[T]) conclude(ctx context.Context, run *Run[T], result Result, err error) (Result, error) {
	var join Join
	join.Add(result, err)
	ctx, end := overtime(ctx)
	defer end()
	if p.root.reports {
		join.Add(run.report(ctx, &p.root))
	}
	join.Add(Continue, p.persist(ctx, run))
	p.warn(run)
	result, err = join.Outcome()
	run.stand(result, err)
	return result, err
}

// warn tells each failure in an event when it is new: see [failures].
func (p *Pipeline[T]) warn(run *Run[T]) {
	action := "Reconcile"
	if run.Deleting() {
		action = "Finalize"
	}
	for _, report := range run.reports.failed() {
		if run.memory.failures.tell(report.Step) {
			run.Warn(nil, report.Reason, action, "%s", report.Sentence())
		}
	}
}
