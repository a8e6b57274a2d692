package resources

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// slots is what a step remembers of a set of children, by name.
type slots[C client.Object] struct {
	byName map[client.ObjectKey]*slot[C]
}

// outcome is what came of one child of a set in a pass.
type outcome[C client.Object] struct {
	key    client.ObjectKey
	result reconcile.Result
	child  *observation[C] // nil if it is none of ours
	err    error
}

// Reconcile implements [reconcile.Step], in the order that [EnsureSet] tells.
func (s *Set[T, C]) Reconcile(ctx context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	desired, err := s.desired(run.Object())
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("build: %w", err)
	}
	keys, err := s.keys(run, desired)
	if err != nil {
		return reconcile.Result{}, reconcile.Terminal(fmt.Errorf("build: %w", err))
	}
	known, ok := s.memory.Get(run)
	if !ok {
		known = &slots[C]{byName: map[client.ObjectKey]*slot[C]{}}
		s.memory.Set(run, known)
	}
	outcomes := s.keepAll(ctx, run, known, keys, desired)
	seen := make([]*observation[C], len(outcomes))
	var join reconcile.Join
	for i := range outcomes {
		seen[i] = outcomes[i].child
		if outcomes[i].err != nil {
			join.Add(reconcile.Result{}, outcomes[i].err)
		}
	}
	s.observed.Set(run, seen)
	waiting := s.waiting(outcomes)
	if !join.Stops() && allApplied(outcomes) {
		join.Add(s.prune(ctx, run, known, outcomes))
	}
	join.Add(waiting, nil)
	return join.Outcome()
}

// allApplied reports whether every child of the set is there and ours: one that is
// not may be the successor of one that would be deleted.
func allApplied[C client.Object](outcomes []outcome[C]) bool {
	for i := range outcomes {
		if outcomes[i].child == nil {
			return false
		}
	}
	return true
}

// keys returns the names of the children, and checks that they tell them apart.
func (s *Set[T, C]) keys(run *reconcile.Run[T], desired []C) ([]client.ObjectKey, error) {
	keys := make([]client.ObjectKey, len(desired))
	seen := make(map[client.ObjectKey]bool, len(desired))
	for i, child := range desired {
		if reflect.ValueOf(&child).Elem().IsZero() {
			return nil, fmt.Errorf("child %d is nil", i)
		}
		key := s.engine.keyOf(run, child)
		if seen[key] {
			return nil, fmt.Errorf("two children have the name %q", key.Name)
		}
		seen[key], keys[i] = true, key
	}
	return keys, nil
}

// keepAll brings the children into line, several at a time.
func (s *Set[T, C]) keepAll(
	ctx context.Context, run *reconcile.Run[T], known *slots[C], keys []client.ObjectKey, desired []C,
) []outcome[C] {
	outcomes := make([]outcome[C], len(desired))
	for _, key := range keys {
		if known.byName[key] == nil {
			known.byName[key] = &slot[C]{}
		}
	}
	work := make(chan int)
	var group sync.WaitGroup
	for range min(s.limit, len(desired)) {
		group.Go(func() {
			for i := range work {
				outcomes[i] = s.keepOne(ctx, run, known.byName[keys[i]], keys[i], desired[i])
			}
		})
	}
	for i := range desired {
		work <- i
	}
	close(work)
	group.Wait()
	return outcomes
}

// keepOne brings one child into line.
func (s *Set[T, C]) keepOne(
	ctx context.Context, run *reconcile.Run[T], slot *slot[C], key client.ObjectKey, desired C,
) (out outcome[C]) {
	out.key = key
	defer reconcile.Recover(&out.err)
	out.result, out.child, out.err = s.engine.keep(ctx, run, slot, desired)
	return out
}

// waiting sums up the children that did not fail: what is said of one that did is
// its error.
func (s *Set[T, C]) waiting(outcomes []outcome[C]) reconcile.Result {
	var tally reconcile.Tally
	for i := range outcomes {
		if outcomes[i].err == nil {
			tally.Add(outcomes[i].key.Name, outcomes[i].result)
		}
	}
	return tally.Result()
}

// prune deletes the children that this step made and that are not in the set.
func (s *Set[T, C]) prune(
	ctx context.Context, run *reconcile.Run[T], known *slots[C], outcomes []outcome[C],
) (reconcile.Result, error) {
	wanted := make(map[client.ObjectKey]*outcome[C], len(outcomes))
	for i := range outcomes {
		wanted[outcomes[i].key] = &outcomes[i]
	}
	var dropped []*slot[C]
	for key, slot := range known.byName {
		if wanted[key] == nil {
			dropped = append(dropped, slot)
		}
	}
	children, err := s.engine.made(ctx, run, dropped...)
	if err != nil {
		return reconcile.Result{}, err
	}
	extra := children[:0]
	for _, child := range children {
		if wanted[client.ObjectKeyFromObject(child)] == nil && !s.stillServes(run, child, outcomes) {
			extra = append(extra, child)
		}
	}
	result, err := s.engine.deleteAll(ctx, run, extra, dropped...)
	for key, slot := range known.byName {
		if wanted[key] == nil && slot.record == nil {
			delete(known.byName, key)
		}
	}
	return result, err
}

// stillServes reports whether an extra child is kept because a newer one, which
// may be its successor under another name, is not ready yet.
func (s *Set[T, C]) stillServes(run *reconcile.Run[T], child C, outcomes []outcome[C]) bool {
	if !s.engine.test(run)(child.DeepCopyObject().(C)).Ready {
		return false
	}
	for i := range outcomes {
		successor := outcomes[i].child
		if successor == nil || outcomes[i].result.Outcome() == reconcile.Continued {
			continue
		}
		// Of two made in the same second either may be the newer.
		was, made := child.GetCreationTimestamp(), successor.shared.GetCreationTimestamp()
		if !made.Before(&was) {
			return true
		}
	}
	return false
}
