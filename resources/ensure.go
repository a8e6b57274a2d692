package resources

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// A Child is a step that keeps one child of an object, and the handle through
// which later steps see it. Make one with [Ensure]. T is the reconciled object,
// C the child. The chained methods are for setup; after that it is safe for
// concurrent use.
type Child[T, C client.Object] struct {
	engine   engine[T, C]
	desired  func(T, *reconcile.Run[T]) (C, error)
	when     func(T) bool
	memory   *reconcile.Memo[*slot[C]]
	observed *reconcile.Value[*observation[C]]
	err      error
}

// Ensure returns a step that keeps one child of the object as desired returns
// it. The kind of the child is the name of the step, "Deployment", unless
// [Child.Named] gives it another, and the name makes the type of its condition,
// "DeploymentReady".
//
// desired builds the child from the spec and metadata of the object and nothing
// else: the same object has to give the same child, without a time, a random value
// or the order of a map in it, because each difference is an apply, and the apply
// wakes the next pass. It must set the name, and
// the namespace is the object's if it sets none; apiVersion and kind are filled
// in. It is also called beside the passes, with a copy of the object, to find out
// the name; so is the function of [Child.When]. What it returns stays its own: it
// is not changed, and may be shared. An
// error of desired is the step's; mark it with [reconcile.Terminal] when only a
// change of the object can mend it. A nil child means that none is wanted.
//
// A pass goes in this order:
//
//  1. If the child is not wanted, any child of the object that this step made is
//     deleted, in the background and with its UID and resourceVersion as
//     preconditions, and the step waits until it is gone; see [Child.OnDelete].
//  2. The child is read from the cache by name. One that the object does not
//     control is left alone: the step waits, stalled because somebody has to do
//     something, and its condition and an event name the object and its owner.
//     One that is being deleted is waited for.
//  3. Unless the child is known to be as desired, it is applied: server-side,
//     forced, with the UID of the existing child as precondition, or such that
//     it can only create. The answer is what is observed. It is known to be as
//     desired when this process has applied the same before and nothing that
//     was applied has changed since, or when all that the field manager owns of
//     it is what would be applied; what others own does not count.
//  4. The step waits until the child is ready, see [Child.ReadyWhen].
//  5. Children that the step made under another name, from before desired named
//     it otherwise, are deleted as in 1.
//
// A child that is ready in a cache that has seen all of this sends nothing. The
// operator needs to get, list, watch, create, patch and delete the kind.
//
// A request that the server refuses as invalid is a terminal error with the
// server's words, and is not sent again before something changes: what is
// wanted, the child, the spec of the object or its annotations. Any other
// refusal is retried, and its reason tells who has to do something: Forbidden,
// QuotaExceeded, Denied (by an admission policy or webhook), WebhookFailed,
// Conflict, TooManyRequests. A terminating namespace is waited for, and so is one
// that is not there, and a kind that is not installed. A name or a label that is
// too long is a terminal error before anything is sent.
//
// Two steps of a pipeline that keep the same object are a terminal error of the
// second, unless they have different field managers, see [Child.FieldManager], and
// all but one of them [Child.Share] it.
//
// A function that is not deterministic all the same is noticed: when the child is
// wanted otherwise for the fifth time in a row while the generation, the labels
// and the annotations of the object stay the same, the next changes are applied
// less and less often, down to once in five minutes; the condition and an event,
// NotDeterministic, name the fields.
//
// A child that somebody else changes again and again is repaired less and less
// often, down to once in five minutes; the condition and an event name the other
// field manager and the field.
//
// The child of an object that is deleted is the garbage collector's, so there is
// nothing to finalize, unless it is [Child.Detached] or the step has a
// [Child.Finalizer].
func Ensure[T, C client.Object](desired func(T) (C, error)) *Child[T, C] {
	if desired == nil {
		return EnsureFrom[T, C](nil)
	}
	c := EnsureFrom(func(object T, _ *reconcile.Run[T]) (C, error) { return desired(object) })
	c.engine.wants = func(object T) []C {
		if c.when != nil && !c.when(object) {
			return nil
		}
		child, err := desired(object)
		if err != nil {
			return nil
		}
		return []C{child}
	}
	return c
}

// EnsureFrom is [Ensure] for a child that also depends on what earlier steps of
// the pass found, which desired reads through their handles:
//
//	credentials := resources.Reference(credentialsOf)
//	deployment := resources.EnsureFrom(func(app *MyApp, run *reconcile.Run[*MyApp]) (*appsv1.Deployment, error) {
//		hash, _ := credentials.Hash(run)
//		…
//	})
//
// What it finds may change at any time. That the function is not deterministic is
// noticed only where it gives two different children when it is called twice in
// one pass.
//
// Put those steps into the same pipeline, before it; otherwise their handles say
// that there is nothing. An object in the way of the child, which nobody's
// event tells of then, is looked for every minute.
func EnsureFrom[T, C client.Object](desired func(T, *reconcile.Run[T]) (C, error)) *Child[T, C] {
	c := &Child[T, C]{
		engine:   engine[T, C]{readiness: readinessOf[C], build: desired},
		desired:  desired,
		memory:   reconcile.NewMemo[*slot[C]](),
		observed: reconcile.NewValue[*observation[C]](),
	}
	if desired == nil {
		c.err = errors.New("the function that builds the child is nil")
	}
	c.err = errors.Join(c.err, c.engine.init())
	return c
}

// Named gives the step its name. It must stay the same over the versions of an
// operator: children are marked with it. Defaults to the kind of the child.
func (c *Child[T, C]) Named(name string) *Child[T, C] {
	c.engine.step = name
	return c
}

// Kind gives the apiVersion and kind of an unstructured child, which its Go
// type does not tell, and makes the kind the step's name. Required for
// unstructured children, refused for others.
func (c *Child[T, C]) Kind(gvk schema.GroupVersionKind) *Child[T, C] {
	c.err = errors.Join(c.err, c.engine.setKind(gvk))
	return c
}

// When keeps the child only while wanted returns true; it is deleted when that
// turns false. desired is not called then. Defaults to always.
func (c *Child[T, C]) When(wanted func(T) bool) *Child[T, C] {
	if wanted == nil {
		c.err = errors.Join(c.err, errors.New("When: the function is nil"))
	}
	c.when, c.engine.ifWanted = wanted, true
	return c
}

// ReadyWhen replaces the test of whether the child is ready, on which the step's
// outcome depends. It is called with a copy of the observed child and must depend
// on nothing else: its answer is kept as long as the child's resourceVersion is
// the same. An error given beside it, as by a constructor that makes the test of
// an expression, is reported at setup:
//
//	.ReadyWhen(cel.Expression[*unstructured.Unstructured]("self.status.phase == 'Running'"))
//
// Defaults to [ReadinessOf], which knows the kinds of Kubernetes and the custom
// in conditions: see [Readiness].
func (c *Child[T, C]) ReadyWhen(test func(C) Readiness, err ...error) *Child[T, C] {
	c.err = errors.Join(c.err, c.engine.setReadiness(test, err))
	return c
}

// Adopt lets the step take over an object of the child's name that nobody
// controls, made by a person or by an operator that did not own what it made:
// the fields that desired sets become as desired, the others stay. An object that
// has a controller is never taken over. Defaults to taking over nothing.
func (c *Child[T, C]) Adopt() *Child[T, C] {
	c.engine.adopt = true
	return c
}

// Recreate lets the step delete the child and make it again when the server does
// not let it be changed into what is desired, as with the selector of a
// Deployment or the template of a Job. It is deleted, in the background, only
// after a dry run has shown that what is desired could be created, and the step
// waits until it is gone. What is lost with the child is lost. Defaults to
// leaving the child as it is and failing with the server's words, which name the
// field.
func (c *Child[T, C]) Recreate() *Child[T, C] {
	c.engine.recreate = true
	return c
}

// FormerManagers names the field managers under which an earlier version of the
// operator updated the child, before it applied it: the name of its binary, unless
// it set another. The fields that they own are taken over, in one more write for
// each child that has such, so that a field which desired no longer sets goes.
// Defaults to none: such fields stay.
func (c *Child[T, C]) FormerManagers(names ...string) *Child[T, C] {
	c.engine.former = append(c.engine.former, names...)
	return c
}

// Detached ties the child to the object by a label and an annotation instead of
// an owner reference, as it has to be for a child in another namespace, or a
// cluster-scoped child of an object that is in one. The garbage collector does
// not know of such a child, so the object gets the given finalizer, a domain and
// a name of the step's own, and the child is deleted before the object goes, and
// confirmed gone by a read past the cache. desired must set the namespace unless
// the kind is cluster-scoped. The operator needs its permissions for the kind
// wherever such a child is.
//
// Defaults to an owner reference. Without Detached, a cluster-scoped child of an object
// that is in a namespace is refused at setup, and one in another namespace, of which
// only desired knows, in each pass, before anything is sent.
func (c *Child[T, C]) Detached(finalizer string) *Child[T, C] {
	c.err = errors.Join(c.err, c.engine.setDetached(finalizer))
	return c
}

// Observed returns the child as this pass found or left it, and false if there
// is none: it is not wanted, does not exist yet, belongs to somebody else, or
// the step was held up. To read it where the step cannot have run yet is a mistake,
// see [reconcile.Run.Missing]. The child is the caller's to keep and change; it
// comes without managedFields.
func (c *Child[T, C]) Observed(run *reconcile.Run[T]) (C, bool) {
	seen, ok := c.seen(run)
	if !ok {
		var none C
		return none, false
	}
	return seen.child(), true
}

// Peek returns what [Child.Observed] does, without a copy, which saves a good part
// of a pass that has nothing to do. The child is the cache's own: it must not be
// changed, and nothing in it may be kept that could be. See
// [reconcile.Environment.Altered] for who tells in tests if it is.
func (c *Child[T, C]) Peek(run *reconcile.Run[T]) (C, bool) {
	seen, ok := c.seen(run)
	if !ok {
		var none C
		return none, false
	}
	return seen.shared, true
}

func (c *Child[T, C]) seen(run *reconcile.Run[T]) (*observation[C], bool) {
	seen, ok := c.observed.Get(run)
	if !ok {
		run.Missing(c.engine.step)
	}
	return seen, ok
}

// Describe implements [reconcile.Step].
func (c *Child[T, C]) Describe() reconcile.Description {
	about := c.engine.describe("resources.Ensure")
	if c.when != nil {
		about.Unwanted = func(object client.Object) bool { return !c.when(object.(T)) }
	}
	if c.when != nil && len(about.Finalizers) > 0 {
		about.FinalizersWhen = func(object client.Object) bool { return c.when(object.(T)) }
	}
	about.Err = errors.Join(about.Err, c.err)
	return about
}

// Finalize implements [reconcile.Step]: children with a controller reference
// are the garbage collector's, unless the step has a finalizer: see
// [Child.OnDelete]. A detached one always has. If the step is not wanted any more,
// see [reconcile.When], they are dealt with either way.
func (c *Child[T, C]) Finalize(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	if run.Retiring() {
		return c.engine.remove(ctx, run, c.slot(run))
	}
	return c.engine.finalize(ctx, run)
}
