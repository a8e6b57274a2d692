package steptest

import (
	"io"
	"net/http"
	"slices"
	"sync"

	"k8s.io/client-go/rest"
)

// Requests is a record of what was sent through the configurations that it was
// attached to, also of what was refused or got no answer, but without what is
// not about objects, such as discovery. The zero value is ready to use. Safe for
// concurrent use.
type Requests struct {
	// KeepBodies says whether to keep what was sent, for those who want to look
	// into it: see [Request.Body]. Set it before anything is sent. Defaults to
	// false, because bodies are most of what there is to keep.
	KeepBodies bool

	mu   sync.Mutex
	sent []Request
}

// Attach returns a copy of a configuration whose clients have what they send
// recorded.
func (r *Requests) Attach(config *rest.Config) *rest.Config {
	recorded := rest.CopyConfig(config)
	recorded.Wrap(r.Wrap)
	return recorded
}

// Wrap has what goes through a transport recorded, once it is answered. It is
// for [rest.Config.Wrap], where a configuration is to be changed in place.
func (r *Requests) Wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(sent *http.Request) (*http.Response, error) {
		request, ok := Describe(sent)
		if !ok {
			return next.RoundTrip(sent)
		}
		if r.KeepBodies {
			request.Body = body(sent)
		}
		answer, err := next.RoundTrip(sent)
		if answer != nil {
			request.Code = answer.StatusCode
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.sent = append(r.sent, request)
		return answer, err
	})
}

// body returns what a request sends, without taking it away. Requests of
// client-go can be asked for their body any number of times, for retries.
func body(sent *http.Request) string {
	if sent.GetBody == nil {
		return ""
	}
	reader, err := sent.GetBody()
	if err != nil {
		return ""
	}
	defer func() { _ = reader.Close() }()
	content, err := io.ReadAll(reader)
	if err != nil {
		return ""
	}
	return string(content)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(sent *http.Request) (*http.Response, error) { return f(sent) }

// All returns what was sent since the last Reset, in the order of the answers:
// what all filters match, or, when there is no filter, everything except the
// lists and watches that feed a cache.
func (r *Requests) All(filters ...func(Request) bool) []Request {
	if len(filters) == 0 {
		filters = []func(Request) bool{func(request Request) bool { return !request.informs() }}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var kept []Request
	for _, request := range r.sent {
		unwanted := func(filter func(Request) bool) bool { return !filter(request) }
		if !slices.ContainsFunc(filters, unwanted) {
			kept = append(kept, request)
		}
	}
	return slices.Clip(kept)
}

// Writes returns what was sent to change something: see [Request.Write].
func (r *Requests) Writes() []Request { return r.All(Request.Write) }

// Reset forgets what was sent.
func (r *Requests) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = nil
}
