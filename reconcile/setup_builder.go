package reconcile

import (
	"context"
	"errors"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
)

// SetupWithBuilder makes the pipeline a part of a controller that somebody else
// builds: one whose handwritten Reconcile calls [Pipeline.Reconcile] among other
// things, or one of several pipelines, see [Several]. It does what
// [Pipeline.Setup] does with the manager's clients, registers the indexes that the
// steps declare, and adds to the builder what wakes them:
//
//	build := ctrl.NewControllerManagedBy(mgr).For(&v1.MyApp{})
//	if err := pipeline.SetupWithBuilder(mgr, build); err != nil {
//		return err
//	}
//	return build.Complete(existing)
//
// For, options, predicates and the reconciler are the caller's. A handwritten part
// may have to see what the pipeline writes to the object, so that, unlike with
// [Pipeline.SetupWithManager], such a write wakes the controller once more: for a
// pass that writes nothing, and, when the status tells of a new failure, for a first
// retry without backoff.
//
// It is an error if the builder or the manager is nil.
func (p *Pipeline[T]) SetupWithBuilder(mgr ctrl.Manager, build *builder.Builder) error {
	if isNil(mgr) || build == nil {
		return fmt.Errorf("pipeline %q: %w", p.name, errors.New("a manager and a builder are needed"))
	}
	if err := p.Setup(EnvironmentOf(mgr, p.name)); err != nil {
		return err
	}
	wires, err := p.wires(mgr)
	if err != nil {
		return fmt.Errorf("pipeline %q: %w", p.name, err)
	}
	now, later := splitByServed(wires)
	for _, wire := range now {
		if err := wire.index(context.Background()); err != nil {
			return fmt.Errorf("pipeline %q: %w", p.name, err)
		}
		for _, source := range wire.sources {
			if wire.home != cluster.Cluster(mgr) {
				build.WatchesRawSource(wire.sourceOf(source))
				continue
			}
			build.Watches(wire.object, source.handler, builder.WithPredicates(source.predicates...))
		}
	}
	if len(later) > 0 {
		build.WatchesRawSource((&latecomers{mgr: mgr, wires: later}).source())
	}
	return nil
}
