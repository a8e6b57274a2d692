package controller_test

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// passes counts the passes over each object that are over, so that a test can
// wait for one that leaves no trace.
type passes struct {
	mu     sync.Mutex
	counts map[types.NamespacedName]int
}

func newPasses() *passes { return &passes{counts: map[types.NamespacedName]int{}} }

func (p *passes) count(name types.NamespacedName) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts[name]
}

// newQueue is for the controller's options: it makes the queue that the
// controller would make, and listens to it.
func (p *passes) newQueue(
	name string, limiter workqueue.TypedRateLimiter[reconcile.Request],
) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return &queue{passes: p, PriorityQueue: priorityqueue.New(name, func(o *priorityqueue.Opts[reconcile.Request]) {
		o.RateLimiter = limiter
	})}
}

type queue struct {
	priorityqueue.PriorityQueue[reconcile.Request]
	passes *passes
}

// Done is what the controller calls at the end of a pass.
func (q *queue) Done(request reconcile.Request) {
	q.PriorityQueue.Done(request)
	q.passes.mu.Lock()
	defer q.passes.mu.Unlock()
	q.passes.counts[request.NamespacedName]++
}
