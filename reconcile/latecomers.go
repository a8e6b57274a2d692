package reconcile

import (
	"context"
	"fmt"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// lookForKinds is how often the server is asked for kinds that it did not know.
const lookForKinds = 10 * time.Second

// latecomers wires kinds that the server did not know at setup, when they appear.
type latecomers struct {
	mgr   ctrl.Manager
	queue requestQueue
	wires []*wire
}

// source returns the source of events that begins to look for the kinds when the
// controller starts it, and ends with the controller.
func (l *latecomers) source() source.Source {
	return source.Func(func(ctx context.Context, queue requestQueue) error {
		l.queue = queue
		go l.search(ctx)
		return nil
	})
}

// search ends when all kinds are wired. What fails, because the server cannot be
// reached for a moment, is logged and tried again: it must not end the manager.
func (l *latecomers) search(ctx context.Context) {
	ticker := time.NewTicker(lookForKinds)
	defer ticker.Stop()
	for len(l.wires) > 0 {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			l.look(ctx)
		}
	}
}

// look wires the kinds that have appeared and keeps the others.
func (l *latecomers) look(ctx context.Context) {
	var later []*wire
	for _, wire := range l.wires {
		log := l.mgr.GetLogger().WithValues("kind", wire.gvk.String())
		known, err := served(wire.gvk, wire.home.GetRESTMapper())
		if known {
			err = l.wire(ctx, wire)
		}
		switch {
		case err != nil:
			log.Error(err, "wire a kind that was not there at setup; it is tried again")
			later = append(later, wire)
		case !known:
			later = append(later, wire)
		default:
			log.Info("kind has appeared")
		}
	}
	l.wires = later
}

// wire sets a kind up. When it is called again after an error it goes on where
// it stopped.
func (l *latecomers) wire(ctx context.Context, wire *wire) error {
	if err := wire.index(ctx); err != nil {
		return err
	}
	for len(wire.sources) > 0 {
		from := wire.sources[0]
		if err := wire.sourceOf(from).Start(ctx, l.queue); err != nil {
			return fmt.Errorf("watch %s: %w", wire.gvk.Kind, err)
		}
		wire.sources = wire.sources[1:]
	}
	return nil
}
