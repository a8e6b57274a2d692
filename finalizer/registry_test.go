package finalizer_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
)

// registry is a system outside the cluster that chooses the ids of its entries
// and loses answers. What before and after return becomes the answer of a call:
// before it took effect, or after.
type registry struct {
	mu      sync.Mutex
	entries map[string]*entry
	next    int
	calls   []string // that took effect
	made    int      // entries ever made
	removed int      // entries ever removed

	before, after func(ctx context.Context, verb string) error
	onCreate      func(run run) error // looks at the world at the moment of a create
	onDelete      func(token string) error
	byID          bool // knows nothing of tokens
	lingers       int  // observations for which a deleted entry still shows
}

type entry struct {
	token, value string
	leaving      bool
	left         int
}

func newRegistry() *registry { return &registry{entries: map[string]*entry{}} }

var _ finalizer.System[*v1.MyApp, string] = &registry{}

// call lets a call take effect, unless it fails before.
func (r *registry) call(ctx context.Context, verb string, effect func() error) error {
	if r.before != nil {
		if err := r.before(ctx, verb); err != nil {
			return err
		}
	}
	r.mu.Lock()
	r.calls = append(r.calls, verb)
	err := effect()
	r.mu.Unlock()
	if err == nil && r.after != nil {
		err = r.after(ctx, verb)
	}
	return err
}

func (r *registry) Observe(ctx context.Context, _ run, at finalizer.Identity) (thing *finalizer.Thing[string], err error) {
	if r.byID && at.ID == "" {
		return nil, errors.New("asked for a token")
	}
	err = r.call(ctx, "observe", func() error {
		for id, found := range r.entries {
			if id != at.ID && (at.ID != "" || found.token != at.Token) {
				continue
			}
			if found.leaving {
				if found.left--; found.left < 0 {
					delete(r.entries, id)
					continue
				}
			}
			thing = &finalizer.Thing[string]{ID: id, State: found.value}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return thing, nil
}

func (r *registry) Create(ctx context.Context, run run, token string) (id string, err error) {
	err = r.call(ctx, "create", func() error {
		for known, found := range r.entries {
			if !r.byID && found.token == token {
				id = known
				return nil
			}
		}
		if r.onCreate != nil {
			if err := r.onCreate(run); err != nil {
				return err
			}
		}
		r.next++
		r.made++
		id = fmt.Sprintf("z-%d", r.next)
		r.entries[id] = &entry{token: token, value: run.Object().Spec.Image}
		return nil
	})
	return id, err
}

func (r *registry) Matches(run run, value string) bool { return run.Object().Spec.Image == value }

func (r *registry) Update(ctx context.Context, run run, at finalizer.Identity, _ string) error {
	return r.call(ctx, "update", func() error {
		r.entries[at.ID].value = run.Object().Spec.Image
		return nil
	})
}

func (r *registry) Delete(ctx context.Context, _ run, at finalizer.Identity) error {
	return r.call(ctx, "delete", func() error {
		found, ok := r.entries[at.ID]
		if !ok || found.leaving {
			return nil
		}
		if r.onDelete != nil {
			if err := r.onDelete(at.Token); err != nil {
				return err
			}
		}
		r.removed++
		if found.leaving, found.left = true, r.lingers; r.lingers == 0 {
			delete(r.entries, at.ID)
		}
		return nil
	})
}

// took returns the calls that took effect since the last time.
func (r *registry) took() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := r.calls
	r.calls = nil
	return calls
}

// values returns what is in the registry, by id.
func (r *registry) values() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	values := map[string]string{}
	for id, found := range r.entries {
		values[id] = found.value
	}
	return values
}

// hanging is a call that does not answer.
func hanging(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

const shortly = 20 * time.Millisecond
