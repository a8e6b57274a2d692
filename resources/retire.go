package resources

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// Retired is a step that ends what a step of an earlier version of the operator
// made. Make one with [Retire]. The chained methods are for setup; after that it
// is safe for concurrent use.
type Retired[T, C client.Object] struct {
	engine engine[T, C]
	policy DeletionPolicy
	err    error
}

// Retire returns a step that ends, by a policy, the children of one kind that a
// step of an earlier version of the operator made, when the step is not there any
// more:
//
//	resources.Retire[*MyApp, *corev1.ConfigMap]("config", resources.Orphan)
//
// The name is that of the former step: the kind of the child, unless it was given
// another. In each pass the children of the object that are marked with it are
// looked for in the cache, by an index, and dealt with as [DeletionPolicy] says;
// the step waits until those which are deleted are gone. When there are none,
// nothing is sent. Children of an object that is deleted before a pass was made
// over it are the garbage collector's.
//
// It has no condition, and shows in the summary only while it waits or fails. Keep
// it in the pipeline for as long as there may be objects that the earlier version
// has seen last. To give a step another name see [Child.FormerlyNamed] instead.
func Retire[T, C client.Object](name string, policy DeletionPolicy) *Retired[T, C] {
	r := &Retired[T, C]{policy: policy}
	r.err = r.engine.init()
	r.engine.step, r.engine.policy = name, policy
	return r
}

// Kind gives the apiVersion and kind of unstructured children, as [Child.Kind].
func (r *Retired[T, C]) Kind(gvk schema.GroupVersionKind) *Retired[T, C] {
	name := r.engine.step
	r.err = errors.Join(r.err, r.engine.setKind(gvk))
	r.engine.step = name
	return r
}

// Detached says that the children were [Child.Detached] under the finalizer, which
// is taken off when they are gone, and is put on no object any more.
func (r *Retired[T, C]) Detached(finalizer string) *Retired[T, C] {
	r.err = errors.Join(r.err, r.engine.setDetached(finalizer))
	r.engine.ifWanted = true
	return r
}

// Describe implements [reconcile.Step].
func (r *Retired[T, C]) Describe() reconcile.Description {
	about := r.engine.describe("resources.Retire")
	about.Condition = ""
	end := "delete"
	if r.engine.leaves() {
		end = "patch"
	}
	for i := range about.Access {
		about.Access[i].Verbs = []string{"get", "list", "watch", end}
	}
	if len(about.Finalizers) > 0 {
		about.FinalizersWhen = func(client.Object) bool { return false }
	}
	about.Err = r.err // what there is to say of a policy needs no finalizer here
	switch r.policy {
	case Background, Foreground, Orphan, Keep:
	default:
		about.Err = errors.Join(about.Err, errors.New("there is no policy \""+string(r.policy)+"\""))
	}
	return about
}

// Reconcile implements [reconcile.Step].
func (r *Retired[T, C]) Reconcile(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	return r.engine.remove(ctx, run)
}

// Finalize implements [reconcile.Step]: children with a controller reference are
// the garbage collector's, detached ones are dealt with as in a pass.
func (r *Retired[T, C]) Finalize(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	if run.Retiring() {
		return r.engine.remove(ctx, run)
	}
	return r.engine.finalize(ctx, run)
}
