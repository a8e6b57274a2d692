package faults

import (
	"context"
	"fmt"
	"slices"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// pass makes one pass, if one is due.
func (r *run) pass(ctx context.Context) error {
	if r.operator().Waiting() == 0 {
		return nil
	}
	r.passes[0], r.passes[1] = r.passes[1], r.world.Revision()
	r.note("pass")
	request, _ := r.operator().Pass()
	r.look()
	if !r.operator().Crashed() {
		return nil
	}
	r.note("the operator has crashed in the pass over %s", request)
	r.operator().Stop()
	return r.start(ctx)
}

// settle goes on until nothing is left to be done, and reports whether that came to
// pass.
func (r *run) settle(ctx context.Context) (bool, error) {
	passes, idle, revision := 0, 0, r.world.Revision()
	for passes < limit {
		current := r.operator()
		if current.Waiting() > 0 {
			if err := r.pass(ctx); err != nil {
				return false, err
			}
			if passes++; passes >= lag {
				r.catchUp()
			}
			continue
		}
		if current.Cache().Sync() || r.act(ctx) || r.live.stir(ctx) || r.catchUp() {
			continue
		}
		if now := r.world.Revision(); now != revision {
			revision, idle = now, 0
		}
		wait, ok := current.Later()
		// What asks to be looked at again and again may do so, if it changes nothing.
		if !ok || idle == idleRounds && !current.Retrying() {
			return true, nil
		}
		idle = min(idle+1, idleRounds)
		r.note("wait %s", wait)
		if wait > patience {
			return true, nil
		}
		r.wait(wait)
	}
	r.endless = true
	r.violate("comes to an end", fmt.Sprintf("after %d passes it is still at it", passes))
	return false, nil
}

// lag is after how many passes a cache begins to catch up although there is still
// something to do: what an operator does again and again because its cache is behind
// it may do while that is so, and no cache is behind for ever.
const lag = 30

// catchUp shows what a cache has missed, or else one of the changes that it is late by.
func (r *run) catchUp() bool {
	if r.relist() {
		return true
	}
	if !r.operator().Cache().Release() {
		return false
	}
	r.note("the cache shows one more change")
	return true
}

// idleRounds is how often a run lets time pass in which nothing changes.
const idleRounds = 3

// act lets somebody else do something.
func (r *run) act(ctx context.Context) bool {
	did, err := memory.ActOnce(ctx, r.world, r.sweep.actors()...)
	if err != nil {
		r.violate("others can work", err.Error())
		return false
	}
	if did {
		r.note("somebody else acts")
	}
	return did
}

// relist lets the cache see what it has missed.
func (r *run) relist() bool {
	r.mu.Lock()
	missed := slices.Clone(r.missed)
	r.missed = nil
	r.mu.Unlock()
	cache, shown := r.operator().Cache(), false
	for _, fault := range missed {
		if fault.Kind == Coalesced {
			r.note("the cache shows all changes of %s", fault.Of.Kind)
			cache.Hold(fault.Of, 0)
			shown = cache.Sync() || shown
			continue
		}
		r.note("the cache lists %s again", fault.Of.Kind)
		shown = cache.Relist(fault.Of) || shown
	}
	return shown
}
