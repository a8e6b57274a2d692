package main

import (
	"testing"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/trueup-dev/trueup/testing/steptest"
)

func TestWrite(t *testing.T) {
	start := time.Now()
	apply := steptest.Request{Verb: "patch", Apply: true, Resource: "services", Namespace: "demo", Name: "web"}
	event := steptest.Request{Verb: "create", Resource: "events", Namespace: "demo", Body: encoded(t, &eventsv1.Event{
		Type: "Normal", Reason: "Created", Note: "created Service web",
	})}
	again := steptest.Request{Verb: "patch", Resource: "events", Namespace: "demo", Name: "web.1", Body: `{"series":{"count":2}}`}
	cases := map[string]struct {
		request steptest.Request
		code    int
		want    string
	}{
		"accepted":            {apply, 201, "   1.5s  apply services demo/web"},
		"refused":             {apply, 422, "   1.5s  apply services demo/web refused: Unprocessable Entity"},
		"lost":                {apply, 0, "   1.5s  apply services demo/web (no answer)"},
		"an event":            {event, 201, "   1.5s  event Normal Created: created Service web"},
		"an event refused":    {event, 403, "   1.5s  create events demo refused: Forbidden"},
		"an event once again": {again, 200, "   1.5s  patch events demo/web.1"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			test.request.Time, test.request.Code = start.Add(1500*time.Millisecond), test.code
			if got := write(test.request, start); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// encoded returns an event as the operator's client sends it: as protobuf.
func encoded(t *testing.T, event *eventsv1.Event) string {
	t.Helper()
	info, ok := runtime.SerializerInfoForMediaType(clientgoscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	if !ok {
		t.Fatal("there is no serializer for protobuf")
	}
	body, err := runtime.Encode(clientgoscheme.Codecs.EncoderForVersion(info.Serializer, eventsv1.SchemeGroupVersion), event)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
