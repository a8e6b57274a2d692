package reconcile

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

type requestQueue = workqueue.TypedRateLimitingInterface[ctrl.Request]

// early holds back the events of an object that come while a pass over it writes:
// the watch may tell of a write before the server's answer to it is there, the
// more often the busier the machine, and only the answer says whose write it was.
// Nothing is lost by it: the queue would not hand the object out before the pass is
// over either. Of what is held back when it is, that which was not the pass's own
// is put into the queue.
//
// An object is in it from the first write of a pass to the pass's end, so that one
// that writes nothing pays nothing. The zero value lets every event through, until
// the controller has started and there is a queue. Safe for concurrent use.
type early struct {
	mu    sync.Mutex
	queue requestQueue
	held  map[types.NamespacedName][]string // resource versions
}

// source returns the source of events by which the controller tells its queue. It
// has no events.
func (e *early) source() source.Source {
	return source.Func(func(_ context.Context, queue requestQueue) error {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.queue = queue
		return nil
	})
}

// expect holds back what comes from now on.
func (e *early) expect(name types.NamespacedName) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.queue == nil {
		return
	}
	if e.held == nil {
		e.held = map[types.NamespacedName][]string{}
	}
	if _, expected := e.held[name]; !expected {
		e.held[name] = nil
	}
}

// hold holds an event back, and returns false if it is not to be.
func (e *early) hold(name types.NamespacedName, version string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	versions, expected := e.held[name]
	if expected {
		e.held[name] = append(versions, version)
	}
	return expected
}

// release ends the holding back. What was held back and is not known wakes the
// pipeline.
func (e *early) release(name types.NamespacedName, known func(version string) bool) {
	e.mu.Lock()
	versions := e.held[name]
	delete(e.held, name)
	queue := e.queue
	e.mu.Unlock()
	for _, version := range versions {
		if !known(version) {
			queue.Add(ctrl.Request{NamespacedName: name})
			return
		}
	}
}
