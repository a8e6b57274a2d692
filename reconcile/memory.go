package reconcile

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// Memory keeps what steps remember of an object between passes, in this
// process only: a restart forgets all of it, so nothing may depend on it for
// more than saving work. What is remembered of an object goes when the object
// does. Safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	objects map[types.NamespacedName]*objectMemory
}

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{objects: map[types.NamespacedName]*objectMemory{}}
}

type objectMemory struct {
	uid types.UID
	slots
}

// of returns the memory of an object, made empty if it is new or if another
// object of that name was remembered.
func (m *Memory) of(name types.NamespacedName, uid types.UID) *objectMemory {
	m.mu.Lock()
	defer m.mu.Unlock()
	memory, ok := m.objects[name]
	if !ok || memory.uid != uid {
		memory = &objectMemory{uid: uid}
		m.objects[name] = memory
	}
	return memory
}

// Forget drops what is remembered of an object. A [Pipeline] does so when it
// finds the object gone; a handwritten Reconcile that runs steps has to.
func (m *Memory) Forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objects, name)
}

// Len returns the number of objects of which something is remembered.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.objects)
}

// A Memo is what a step remembers of an object from one pass to the next. The
// handle is made once, at setup; what is stored under it lives in the
// [Memory] of the pipeline's environment, by object. Safe for concurrent use.
type Memo[V any] struct {
	_ byte // distinct handles have distinct addresses
}

// NewMemo returns a handle for something of type V to remember.
func NewMemo[V any]() *Memo[V] { return &Memo[V]{} }

// Set remembers v for the object of the pass.
func (h *Memo[V]) Set(run Pass, v V) { run.passMemory().set(h, v) }

// Get returns what is remembered of the object, and false if nothing is: it is
// the first pass of this process over it, or nothing was set.
func (h *Memo[V]) Get(run Pass) (V, bool) { return fromSlot[V](run.passMemory().get(h)) }

// Clear forgets.
func (h *Memo[V]) Clear(run Pass) { run.passMemory().clear(h) }
