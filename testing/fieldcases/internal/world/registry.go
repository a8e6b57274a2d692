package world

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Registry is an external system: it gives whatever is created an id of its own
// choice.
type Registry struct {
	// Unlisted says that it cannot be asked what there is for a token.
	Unlisted bool
	// BeforeDelete and AfterCreate, if set, are called then; an error of
	// BeforeDelete is the answer.
	BeforeDelete func() error
	AfterCreate  func()

	world   *World
	mu      sync.Mutex
	entries map[string]string // tokens by id
	creates int
	deletes int
	drained map[string]bool // workers whose drain is confirmed
	drains  []string
}

func newRegistry(w *World) *Registry {
	return &Registry{world: w, entries: map[string]string{}, drained: map[string]bool{}}
}

// Members returns the ids of what there is.
func (r *Registry) Members() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.entries))
}

// Calls returns how many creates and deletes it has accepted.
func (r *Registry) Calls() (creates, deletes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.creates, r.deletes
}

// ConfirmDrain says that a worker has nothing left to do, to whoever asks.
func (r *Registry) ConfirmDrain(worker string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drained[worker] = true
}

// Drains returns the workers that were asked to finish, each once.
func (r *Registry) Drains() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(r.drains)))
}

// Connection is what one process has to do with the Registry.
type Connection struct {
	*Registry
	process *Process
}

// Create makes an entry and returns its id.
func (c *Connection) Create(token string) (string, error) {
	if c.process.dead.Load() {
		return "", errDead
	}
	c.mu.Lock()
	c.creates++
	id := fmt.Sprintf("id-%d", 1000+c.creates*37)
	c.entries[id] = token
	c.mu.Unlock()
	c.world.effect("Registry.Create")
	if c.AfterCreate != nil {
		c.AfterCreate()
	}
	if c.process.dead.Load() {
		return "", errDead
	}
	return id, nil
}

// Find returns the id of the entry with a token, "" if there is none.
func (c *Connection) Find(token string) (string, error) {
	if c.process.dead.Load() {
		return "", errDead
	}
	if c.Unlisted {
		return "", errors.ErrUnsupported
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, of := range c.entries {
		if of == token {
			return id, nil
		}
	}
	return "", nil
}

// Delete removes the entries with a token, if there are any.
func (c *Connection) Delete(token string) error {
	if c.process.dead.Load() {
		return errDead
	}
	if c.BeforeDelete != nil {
		if err := c.BeforeDelete(); err != nil {
			return err
		}
	}
	c.world.effect("Registry.Delete")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deletes++
	maps.DeleteFunc(c.entries, func(_, of string) bool { return of == token })
	return nil
}

// Drain asks for a worker to be drained, and returns whether it is.
func (c *Connection) Drain(worker string) (bool, error) {
	if c.process.dead.Load() {
		return false, errDead
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drains = append(c.drains, worker)
	return c.drained[worker], nil
}

// effect notes what the operator has brought about, in order.
func (w *World) effect(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.effects = append(w.effects, fmt.Sprintf(format, args...))
}

// Effects returns what the operator has brought about since the last Mark, in
// order: accepted writes, and what the Registry has accepted.
func (w *World) Effects() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.effects)
}

// IDOf returns the id of the entry whose token has a word in it, as a person finds
// it.
func (r *Registry) IDOf(word string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, token := range r.entries {
		if strings.Contains(token, word) {
			return id, true
		}
	}
	return "", false
}
