package operator

import (
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
)

// queue is the queue of a controller. It hands out a request when it is told to, one
// at a time, and otherwise does what a workqueue does: what is added while it is
// worked on is worked on again.
type queue struct {
	limiter workqueue.TypedRateLimiter[ctrl.Request]
	hand    chan ctrl.Request
	done    chan struct{}
	open    chan struct{} // closed when a worker asks for work
	closed  chan struct{}
	opening sync.Once
	closing sync.Once

	mu      sync.Mutex
	waiting []ctrl.Request
	working *ctrl.Request
	again   bool // what is worked on was added again
	timers  []timer
}

var _ workqueue.TypedRateLimitingInterface[ctrl.Request] = &queue{}

func newQueue() *queue {
	return &queue{
		hand: make(chan ctrl.Request), done: make(chan struct{}, 1),
		open: make(chan struct{}), closed: make(chan struct{}),
	}
}

// pass hands out one request and waits until it is worked on.
func (q *queue) pass() (ctrl.Request, bool) {
	q.mu.Lock()
	q.due(time.Now())
	if len(q.waiting) == 0 {
		q.mu.Unlock()
		return ctrl.Request{}, false
	}
	request := q.waiting[0]
	q.waiting = q.waiting[1:]
	q.working, q.again = &request, false
	q.mu.Unlock()
	q.hand <- request
	<-q.done
	return request, true
}

// settle puts what waits in order: watches start at the same time.
func (q *queue) settle() {
	q.mu.Lock()
	defer q.mu.Unlock()
	slices.SortFunc(q.waiting, func(a, b ctrl.Request) int { return strings.Compare(a.String(), b.String()) })
}

// Add implements [workqueue.TypedInterface].
func (q *queue) Add(request ctrl.Request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(request)
}

func (q *queue) add(request ctrl.Request) {
	if q.working != nil && *q.working == request {
		q.again = true
		return
	}
	if !slices.Contains(q.waiting, request) {
		q.waiting = append(q.waiting, request)
	}
}

// Len implements [workqueue.TypedInterface].
func (q *queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.due(time.Now())
	return len(q.waiting)
}

// Get implements [workqueue.TypedInterface].
func (q *queue) Get() (request ctrl.Request, shutdown bool) {
	q.opening.Do(func() { close(q.open) })
	select {
	case request = <-q.hand:
		return request, false
	case <-q.closed:
		return request, true
	}
}

// Done implements [workqueue.TypedInterface].
func (q *queue) Done(request ctrl.Request) {
	q.mu.Lock()
	q.working = nil
	if q.again {
		q.add(request)
	}
	q.mu.Unlock()
	q.done <- struct{}{}
}

// ShutDown implements [workqueue.TypedInterface].
func (q *queue) ShutDown() {
	q.opening.Do(func() { close(q.open) })
	q.closing.Do(func() { close(q.closed) })
}

// ShutDownWithDrain implements [workqueue.TypedInterface].
func (q *queue) ShutDownWithDrain() { q.ShutDown() }

// ShuttingDown implements [workqueue.TypedInterface].
func (q *queue) ShuttingDown() bool {
	select {
	case <-q.closed:
		return true
	default:
		return false
	}
}

// AddRateLimited implements [workqueue.TypedRateLimitingInterface].
func (q *queue) AddRateLimited(request ctrl.Request) {
	q.after(request, q.limiter.When(request), true)
}

// Forget implements [workqueue.TypedRateLimitingInterface].
func (q *queue) Forget(request ctrl.Request) { q.limiter.Forget(request) }

// NumRequeues implements [workqueue.TypedRateLimitingInterface].
func (q *queue) NumRequeues(request ctrl.Request) int { return q.limiter.NumRequeues(request) }
