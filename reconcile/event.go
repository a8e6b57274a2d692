package reconcile

import (
	"fmt"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Event records a Normal event on the object: only for changes that a person
// cares about, never in a pass that changes nothing. Reason and action are
// CamelCase words; related is the object that the event is also about, or nil.
func (r *Run[T]) Event(related runtime.Object, reason, action, note string, args ...any) {
	r.event(corev1.EventTypeNormal, related, reason, action, note, args...)
}

// Warn records a Warning event on the object, otherwise as [Run.Event].
func (r *Run[T]) Warn(related runtime.Object, reason, action, note string, args ...any) {
	r.event(corev1.EventTypeWarning, related, reason, action, note, args...)
}

func (r *Run[T]) event(eventType string, related runtime.Object, reason, action, note string, args ...any) {
	if r.env.Recorder == nil {
		return
	}
	if reason == "" {
		reason = "Unspecified"
	}
	r.env.Recorder.Eventf(r.Object(), related, eventType, clip(reason, maxReason), action,
		"%s", clip(fmt.Sprintf(note, args...), maxNote))
}

// What the API server accepts in an event, in bytes (k8s.io/api/events/v1,
// Event.note and Event.reason, which must not be empty either).
const (
	maxNote   = 1024
	maxReason = 128
)

// clip shortens text to a number of bytes, at the end of a character.
func clip(text string, most int) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= most {
		return text
	}
	cut := most - len("…")
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
