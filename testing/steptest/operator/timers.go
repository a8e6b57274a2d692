package operator

import (
	"slices"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
)

// timer is when a request that waits is put into the queue.
type timer struct {
	at      time.Time
	request ctrl.Request
	retry   bool
}

// due puts what has become due among what waits. The caller holds the lock.
func (q *queue) due(now time.Time) {
	q.timers = slices.DeleteFunc(q.timers, func(timer timer) bool {
		if timer.at.After(now) {
			return false
		}
		q.add(timer.request)
		return true
	})
}

func (q *queue) later() (time.Duration, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.timers) == 0 {
		return 0, false
	}
	return max(0, time.Until(q.timers[0].at)), true
}

func (q *queue) retrying() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.timers, func(timer timer) bool { return timer.retry })
}

func (q *queue) hurry() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.timers) > 0 {
		q.due(q.timers[0].at)
	}
}

// AddAfter implements [workqueue.TypedDelayingInterface].
func (q *queue) AddAfter(request ctrl.Request, wait time.Duration) { q.after(request, wait, false) }

// after has a request wait. It waits once, as in a workqueue: for the soonest of its times.
func (q *queue) after(request ctrl.Request, wait time.Duration, retry bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if wait <= 0 {
		q.add(request)
		return
	}
	waits := timer{at: time.Now().Add(wait), request: request, retry: retry}
	q.timers = slices.DeleteFunc(q.timers, func(other timer) bool {
		if other.request != request {
			return false
		}
		if other.at.Before(waits.at) {
			waits.at = other.at
		}
		waits.retry = waits.retry || other.retry
		return true
	})
	q.timers = append(q.timers, waits)
	slices.SortStableFunc(q.timers, func(a, b timer) int { return a.at.Compare(b.at) })
}
