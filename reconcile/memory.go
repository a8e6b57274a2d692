package reconcile

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Memory keeps what steps remember of an object between passes, in this
// process only: a restart forgets all of it, so nothing may depend on it for
// more than saving work. What is remembered of an object goes when the object
// does. Several pipelines may share one: each has a part of its own in it, so
// that objects of different kinds may have the same name. Safe for concurrent
// use.
type Memory struct {
	mu      sync.Mutex
	objects map[types.NamespacedName]*objectMemory
	parts   map[memoryPart]*Memory
	over    *standings // nil if objects are not counted
}

// NewMemory returns an empty memory.
func NewMemory() *Memory {
	return &Memory{
		objects: map[types.NamespacedName]*objectMemory{},
		parts:   map[memoryPart]*Memory{},
	}
}

// memoryPart tells who remembers: a pipeline, or a controller, and the kind.
type memoryPart struct {
	pipeline string
	kind     any // a schema.GroupVersionKind of an unstructured object, else a reflect.Type
}

// partOf returns the part of a memory that belongs to a pipeline, by its name
// and what it reconciles.
func (m *Memory) partOf(pipeline string, object client.Object) *Memory {
	key := memoryPart{pipeline: pipeline, kind: reflect.TypeOf(object)}
	if _, ok := object.(runtime.Unstructured); ok {
		key.kind = object.GetObjectKind().GroupVersionKind()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	part, ok := m.parts[key]
	if !ok {
		part = NewMemory()
		m.parts[key] = part
	}
	return part
}

type objectMemory struct {
	uid types.UID
	slots
	failures failures
	placed   placed
}

// of returns the memory of an object, made empty if it is new or if another
// object of that name was remembered.
func (m *Memory) of(name types.NamespacedName, uid types.UID) *objectMemory {
	m.mu.Lock()
	defer m.mu.Unlock()
	memory, ok := m.objects[name]
	if !ok || memory.uid != uid {
		if ok {
			memory.placed.leave()
		}
		memory = &objectMemory{uid: uid, placed: placed{over: m.over}}
		m.objects[name] = memory
	}
	memory.uid = uid // the string of the object at hand: comparing it again looks no further
	return memory
}

// find returns the memory of an object, nil if there is none.
func (m *Memory) find(name types.NamespacedName, uid types.UID) *objectMemory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if memory, ok := m.objects[name]; ok && memory.uid == uid {
		return memory
	}
	return nil
}

// Forget drops what is remembered of an object, or of several of that name. A
// [Pipeline] does so, for itself, when it finds the object gone; a handwritten
// Reconcile that runs steps has to.
func (m *Memory) Forget(name types.NamespacedName) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if memory, ok := m.objects[name]; ok {
		memory.placed.leave()
		delete(m.objects, name)
	}
	for _, part := range m.parts {
		part.Forget(name)
	}
}

// Len returns the number of objects of which something is remembered. One that
// two pipelines remember is counted twice.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	count := len(m.objects)
	for _, part := range m.parts {
		count += part.Len()
	}
	return count
}

// A Memo is what a step remembers of an object from one pass to the next. The
// handle is made once, at setup; what is stored under it lives in the
// [Memory] of the pipeline's environment, by object. Safe for concurrent use.
type Memo[V any] struct {
	place byte // distinct handles have distinct addresses
}

// NewMemo returns a handle for something of type V to remember.
func NewMemo[V any]() *Memo[V] { return &Memo[V]{} }

// Set remembers v for the object of the pass.
func (h *Memo[V]) Set(run Pass, v V) { run.passMemory().set(&h.place, v) }

// Get returns what is remembered of the object, and false if nothing is: it is
// the first pass of this process over it, or nothing was set.
func (h *Memo[V]) Get(run Pass) (V, bool) { return fromSlot[V](run.passMemory().get(&h.place)) }

// Clear forgets.
func (h *Memo[V]) Clear(run Pass) { run.passMemory().clear(&h.place) }
