package measure

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Noop is what a pass costs over an object of which nothing has to be done.
type Noop struct {
	Nanoseconds float64 `json:"noop_ns"`
	Allocs      float64 `json:"noop_allocs"`
	Bytes       float64 `json:"noop_bytes"`
	Requests    float64 `json:"noop_requests"`
}

// A Subject is an operator whose objects are converged.
type Subject struct {
	// Reconciler makes the passes.
	Reconciler ctrlreconcile.Reconciler
	// Keys are the objects.
	Keys []types.NamespacedName
	// Requests returns how many requests the operator has sent so far.
	Requests func() int
}

const (
	// noopRounds is how many batches of passes there are of each subject.
	noopRounds = 15
	// batchPasses is how many passes a batch has, unless it takes longer than
	// batchTime. It has minPasses all the same.
	batchPasses = 2000
	batchTime   = 500 * time.Millisecond
	minPasses   = 10
)

// Noops measures the passes of subjects against each other: batches take turns,
// in an order that turns too, so that whatever else goes on on the machine meets
// all of them. The passes of a batch go over the objects one after the other,
// each batch from where the last one ended, so that with many objects each is
// as cold as it would be. Each number is the median over the batches, and the
// time of a batch is that of its median pass; requests are the mean over all. A
// subject whose pass fails has an error in the place of its numbers, and the
// others go on without it.
func Noops(ctx context.Context, subjects []Subject) ([]Noop, []error) {
	all := make([]series, len(subjects))
	failures := make([]error, len(subjects))
	for round := range noopRounds + 1 { // the first is to warm up
		for turn := range subjects {
			i := (round + turn) % len(subjects)
			if failures[i] != nil {
				continue
			}
			batch, err := all[i].batch(ctx, &subjects[i])
			switch {
			case err != nil:
				failures[i] = err
			case round > 0:
				all[i].batches = append(all[i].batches, batch)
			}
		}
	}
	noops := make([]Noop, len(subjects))
	for i := range all {
		if failures[i] == nil {
			noops[i] = all[i].median()
		}
	}
	return noops, failures
}

// series is the batches of one subject.
type series struct {
	next     int // the object that is next
	times    [batchPasses]time.Duration
	batches  []Noop
	passes   int // of all batches
	requests int // of all batches
}

// batch makes passes in this goroutine.
func (s *series) batch(ctx context.Context, subject *Subject) (Noop, error) {
	runtime.GC()
	requests := subject.Requests()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	passes, start := 0, time.Now()
	for passes < batchPasses && (passes < minPasses || time.Since(start) < batchTime) {
		key := fresh(subject.Keys[s.next%len(subject.Keys)])
		s.next++
		begin := time.Now()
		result, err := subject.Reconciler.Reconcile(ctx, ctrl.Request{NamespacedName: key})
		s.times[passes] = time.Since(begin)
		passes++
		if err == nil && !result.IsZero() {
			err = errors.New("asks to run again")
		}
		if err != nil {
			return Noop{}, fmt.Errorf("MyApp %s: %w", key, err)
		}
	}
	runtime.ReadMemStats(&after)
	s.passes += passes
	s.requests += subject.Requests() - requests
	return Noop{
		Nanoseconds: float64(median(s.times[:passes])),
		Allocs:      float64(after.Mallocs-before.Mallocs) / float64(passes),
		Bytes:       float64(after.TotalAlloc-before.TotalAlloc) / float64(passes),
	}, nil
}

// fresh returns a name as it comes from the queue: of strings that an event has
// just made.
func fresh(key types.NamespacedName) types.NamespacedName {
	return types.NamespacedName{Namespace: strings.Clone(key.Namespace), Name: strings.Clone(key.Name)}
}

func (s *series) median() Noop {
	pick := func(field func(Noop) float64) float64 {
		values := make([]float64, len(s.batches))
		for i, batch := range s.batches {
			values[i] = field(batch)
		}
		return median(values)
	}
	return Noop{
		Nanoseconds: pick(func(n Noop) float64 { return n.Nanoseconds }),
		Allocs:      pick(func(n Noop) float64 { return n.Allocs }),
		Bytes:       pick(func(n Noop) float64 { return n.Bytes }),
		Requests:    float64(s.requests) / float64(s.passes), // not one is to be overlooked
	}
}
