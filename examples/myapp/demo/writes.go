package main

import (
	"fmt"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/trueup-dev/trueup/testing/steptest"
)

// tells matches the requests that change something, or tell of it in an event.
func tells(request steptest.Request) bool { return request.Write() || request.Event() }

// write tells what the operator wrote and when. Of an event it tells what that
// says, unless it only counts how often that was said.
func write(request steptest.Request, start time.Time) string {
	text := request.String()
	if request.Event() && request.Code < 300 {
		object, _, err := clientgoscheme.Codecs.UniversalDeserializer().Decode([]byte(request.Body), nil, nil)
		if event, ok := object.(*eventsv1.Event); ok && err == nil {
			text = fmt.Sprintf("event %s %s: %s", event.Type, event.Reason, event.Note)
		}
	}
	if request.Code == 0 {
		text += " (no answer)"
	}
	return offset(request.Time, start) + "  " + text
}

// offset tells a moment as seconds since the start.
func offset(at, start time.Time) string { return fmt.Sprintf("%6.1fs", at.Sub(start).Seconds()) }
