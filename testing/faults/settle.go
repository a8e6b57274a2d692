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
			passes++
			continue
		}
		if current.Cache().Sync() || r.act(ctx) || r.live.stir(ctx) || current.Cache().Release() || r.relist() {
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
	unseen := slices.Clone(r.unseen)
	r.unseen = nil
	r.mu.Unlock()
	shown := false
	for _, gvk := range unseen {
		r.note("the cache lists %s again", gvk.Kind)
		shown = r.operator().Cache().Relist(gvk) || shown
	}
	return shown
}
