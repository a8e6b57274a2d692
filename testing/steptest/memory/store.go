package memory

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// firstRevision is the revision of an empty store. It is well above 1, which is
// that of etcd's empty keyspace and which no object ever has.
const firstRevision = 100

// id is what an object is stored under.
type id struct {
	kind schema.GroupKind
	types.NamespacedName
}

func (a id) compare(b id) int {
	return cmp.Or(strings.Compare(a.kind.Kind, b.kind.Kind), strings.Compare(a.kind.Group, b.kind.Group),
		strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// An Event is a change of an object in the store.
type Event struct {
	// Revision counts the changes of the store. It is the object's resourceVersion.
	Revision uint64
	// Type is Added, Modified or Deleted.
	Type watch.EventType
	// Object is the object after the change, or, of one that was deleted, as it was
	// before with the resourceVersion of the deletion. It must not be changed.
	Object *unstructured.Unstructured
	// Before is the object before the change, nil if it is new. It must not be changed.
	Before *unstructured.Unstructured
}

// store keeps objects as etcd does: with a revision that counts all changes, and
// a history. Objects in it are never changed.
type store struct {
	mu       sync.Mutex
	revision uint64
	objects  map[id]*unstructured.Unstructured
	history  []Event
	changed  chan struct{} // closed at the next change
}

func newStore() *store {
	return &store{revision: firstRevision, objects: map[id]*unstructured.Unstructured{}, changed: make(chan struct{})}
}

// put stores an object and returns it with its new resourceVersion. The caller
// holds the lock, and gives the object away.
func (s *store) put(at id, object *unstructured.Unstructured) *unstructured.Unstructured {
	before := s.objects[at]
	s.objects[at] = object
	event := Event{Type: watch.Added, Object: object, Before: before}
	if before != nil {
		event.Type = watch.Modified
	}
	s.record(event)
	return object
}

// remove removes an object. The caller holds the lock.
func (s *store) remove(at id) {
	before := s.objects[at]
	delete(s.objects, at)
	gone := before.DeepCopy()
	s.record(Event{Type: watch.Deleted, Object: gone, Before: before})
}

func (s *store) record(event Event) {
	s.revision++
	event.Revision = s.revision
	event.Object.SetResourceVersion(strconv.FormatUint(s.revision, 10))
	s.history = append(s.history, event)
	close(s.changed)
	s.changed = make(chan struct{})
}

// list returns the objects of a kind, in all namespaces if none is given, by name.
// The caller holds the lock.
func (s *store) list(kind schema.GroupKind, namespace string) []*unstructured.Unstructured {
	var found []*unstructured.Unstructured
	for at, object := range s.objects {
		if at.kind == kind && (namespace == "" || at.Namespace == namespace) {
			found = append(found, object)
		}
	}
	slices.SortFunc(found, byName)
	return found
}

func byName(a, b *unstructured.Unstructured) int {
	return cmp.Or(strings.Compare(a.GetNamespace(), b.GetNamespace()), strings.Compare(a.GetName(), b.GetName()))
}

// since returns the changes after a revision, and what is closed at the next one.
func (s *store) since(revision uint64) ([]Event, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first, _ := slices.BinarySearchFunc(s.history, revision+1, func(event Event, revision uint64) int {
		return int(event.Revision) - int(revision) //nolint:gosec // counts of changes in a test are small
	})
	return s.history[first:len(s.history):len(s.history)], s.changed
}

// all returns every object, ordered by kind and name.
func (s *store) all() []*unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := slices.SortedFunc(maps.Keys(s.objects), id.compare)
	objects := make([]*unstructured.Unstructured, len(ids))
	for i, at := range ids {
		objects[i] = s.objects[at]
	}
	return objects
}
