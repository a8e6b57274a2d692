package operator

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing/synctest"

	"k8s.io/client-go/rest"
)

// turns lets the requests of an operator through one at a time, so that a run has the
// same requests in the same order each time, also of steps that run at the same time:
// when all goroutines wait, the request is next whose name comes first.
type turns struct {
	name func(*http.Request) string
	news chan struct{}
	over <-chan struct{}
	gone atomic.Int64 // how many requests were let through

	mu      sync.Mutex
	waiting []turn
}

// turn is that of a request that waits.
type turn struct {
	name string
	come chan struct{} // closed when it has
}

// attach returns a configuration whose requests take turns.
func (t *turns) attach(config *rest.Config) *rest.Config {
	attached := rest.CopyConfig(config)
	attached.Wrap(func(next http.RoundTripper) http.RoundTripper { return inTurn{t, next} })
	return attached
}

type inTurn struct {
	*turns
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t inTurn) RoundTrip(sent *http.Request) (*http.Response, error) {
	if name := t.name(sent); name != "" {
		select {
		case <-t.await(name):
		case <-t.over:
		case <-sent.Context().Done(): // the next of the chain says so
		}
	}
	return t.next.RoundTrip(sent)
}

func (t *turns) await(name string) <-chan struct{} {
	mine := turn{name, make(chan struct{})}
	t.mu.Lock()
	t.waiting = append(t.waiting, mine)
	t.mu.Unlock()
	t.wake()
	return mine.come
}

func (t *turns) wake() {
	select {
	case t.news <- struct{}{}:
	default:
	}
}

// give gives turns until the operator ends.
func (t *turns) give(ctx context.Context) {
	defer register(t)()
	for {
		select {
		case <-t.news:
		case <-ctx.Done():
			return
		}
		synctest.Wait()
		t.next()
	}
}

func (t *turns) next() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gone.Add(1)
	if len(t.waiting) == 0 {
		return
	}
	slices.SortStableFunc(t.waiting, func(a, b turn) int { return strings.Compare(a.name, b.name) })
	close(t.waiting[0].come)
	if t.waiting = t.waiting[1:]; len(t.waiting) > 0 {
		t.wake()
	}
}

// stuck returns how many requests were let through if one waits, -1 if none does.
func (t *turns) stuck() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 {
		return -1
	}
	return t.gone.Load()
}
