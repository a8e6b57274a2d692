package controller_test

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	ctrlcontroller "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
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

// listen is for a pipeline's setup.
func (p *passes) listen(b *builder.Builder) {
	b.WithOptions(ctrlcontroller.Options{NewQueue: p.newQueue})
}

// newQueue makes the queue that the
// controller would make, and listens to it.
func (p *passes) newQueue(
	name string, limiter workqueue.TypedRateLimiter[ctrl.Request],
) workqueue.TypedRateLimitingInterface[ctrl.Request] {
	return &queue{passes: p, PriorityQueue: priorityqueue.New(name, func(o *priorityqueue.Opts[ctrl.Request]) {
		o.RateLimiter = limiter
	})}
}

type queue struct {
	priorityqueue.PriorityQueue[ctrl.Request]
	passes *passes
}

// Done is what the controller calls at the end of a pass.
func (q *queue) Done(request ctrl.Request) {
	q.PriorityQueue.Done(request)
	q.passes.mu.Lock()
	defer q.passes.mu.Unlock()
	q.passes.counts[request.NamespacedName]++
}
