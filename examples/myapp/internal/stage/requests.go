package stage

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Requests records what a client sends. Safe for concurrent use.
type Requests struct {
	mu  sync.Mutex
	all []Request
}

// NewRequests returns an empty record.
func NewRequests() *Requests { return &Requests{} }

// Wrap is for [k8s.io/client-go/rest.Config.Wrap]: it records what passes
// through, once it is answered.
func (r *Requests) Wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		parsed, ok := parse(request)
		parsed.At = time.Now()
		response, err := next.RoundTrip(request)
		if response != nil {
			parsed.Code = response.StatusCode
		}
		if ok {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.all = append(r.all, parsed)
		}
		return response, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// All returns the requests so far that match, in the order of their answers.
func (r *Requests) All(matches func(Request) bool) []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []Request
	for _, request := range r.all {
		if matches(request) {
			found = append(found, request)
		}
	}
	return slices.Clip(found)
}

// look is how long [Requests.Quiet] looks away.
const look = 300 * time.Millisecond

// Quiet waits until two looks in a row find that no request that matches was
// added, and returns how many there are then. If that does not come before the
// context is done, the error tells the latest requests.
func (r *Requests) Quiet(ctx context.Context, matches func(Request) bool) (int, error) {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	count, same := len(r.All(matches)), 0
	for same < 2 {
		select {
		case <-ctx.Done():
			found := r.All(matches)
			return len(found), fmt.Errorf("wait until the operator is quiet: %w; the last requests are %v",
				context.Cause(ctx), found[max(0, len(found)-5):])
		case <-ticker.C:
		}
		if now := len(r.All(matches)); now != count {
			count, same = now, 0
			continue
		}
		same++
	}
	return count, nil
}
