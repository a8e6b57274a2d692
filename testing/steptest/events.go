package steptest

import (
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
)

// Events is a recorder that keeps the events instead of sending them. The zero
// value is ready to use. Safe for concurrent use.
type Events struct {
	mu   sync.Mutex
	told []string
}

var _ events.EventRecorder = &Events{}

// Eventf implements [events.EventRecorder].
func (e *Events) Eventf(_, _ runtime.Object, eventType, reason, _, note string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told = append(e.told, fmt.Sprintf("%s %s: %s", eventType, reason, fmt.Sprintf(note, args...)))
}

// All returns the events since the last Reset, each as "Normal Created: created
// Deployment web".
func (e *Events) All() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.told)
}

// Reset forgets the events.
func (e *Events) Reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told = nil
}
