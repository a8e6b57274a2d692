package reconcile

import (
	"context"
	"fmt"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// lookForKinds is how often the server is asked for kinds that it did not know.
const lookForKinds = 10 * time.Second

// latecomers wires kinds that the server did not know at setup, when they appear.
type latecomers struct {
	mgr        ctrl.Manager
	controller controller.Controller
	wires      []*wire
}

// Start implements manager.Runnable: it ends when all kinds are wired.
func (l *latecomers) Start(ctx context.Context) error {
	ticker := time.NewTicker(lookForKinds)
	defer ticker.Stop()
	for len(l.wires) > 0 {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		var now []*wire
		now, l.wires = splitByServed(l.wires, l.mgr.GetRESTMapper())
		for _, wire := range now {
			if err := l.wire(ctx, wire); err != nil {
				return err
			}
			l.mgr.GetLogger().Info("kind has appeared", "kind", wire.gvk.String())
		}
	}
	return nil
}

func (l *latecomers) wire(ctx context.Context, wire *wire) error {
	if err := wire.index(ctx, l.mgr.GetFieldIndexer()); err != nil {
		return err
	}
	for _, from := range wire.sources {
		if err := l.controller.Watch(source.Kind(l.mgr.GetCache(), wire.object, from.handler, from.predicates...)); err != nil {
			return fmt.Errorf("watch %s: %w", wire.gvk.Kind, err)
		}
	}
	return nil
}
