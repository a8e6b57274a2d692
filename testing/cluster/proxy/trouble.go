package proxy

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Trouble is what becomes of one request. The zero value is that it is passed on, and
// its answer back.
type Trouble struct {
	// Delay is how long it takes before anything else happens. Defaults to no time.
	Delay time.Duration
	// Throttle answers 429, and to come again after that long, in whole seconds, instead
	// of passing the request on. Defaults to not doing so.
	Throttle time.Duration
	// Reset breaks the connection off instead of passing the request on.
	Reset bool
	// Lose passes the request on, and breaks off when the server has done it.
	Lose bool
}

// Disturb has a function decide what becomes of each request from now on. It is called
// by many requests at once. nil lets all through again.
func (p *Proxy) Disturb(decide func(*http.Request) Trouble) {
	if decide == nil {
		p.disturb.Store(nil)
		return
	}
	p.disturb.Store(&decide)
}

// Watch reports whether a request is a watch.
func Watch(request *http.Request) bool {
	value, _ := strconv.ParseBool(request.URL.Query().Get("watch"))
	return value
}

// serve passes one request on, or lets go wrong what has to.
func (p *Proxy) serve(w http.ResponseWriter, request *http.Request) {
	trouble := Trouble{}
	if decide := p.disturb.Load(); decide != nil {
		trouble = (*decide)(request)
	}
	if trouble.Delay > 0 {
		p.counts.delayed.Add(1)
		select {
		case <-time.After(trouble.Delay):
		case <-request.Context().Done():
		}
	}
	switch {
	case trouble.Reset:
		p.counts.reset.Add(1)
		panic(http.ErrAbortHandler)
	case trouble.Throttle > 0:
		p.counts.throttled.Add(1)
		throttle(w, trouble.Throttle)
	case trouble.Lose:
		p.counts.lost.Add(1)
		p.pass.ServeHTTP(nowhere{http.Header{}}, request)
		panic(http.ErrAbortHandler)
	case Watch(request):
		ctx, done := p.watching(request.Context())
		defer done()
		p.pass.ServeHTTP(w, request.WithContext(ctx))
	default:
		p.pass.ServeHTTP(w, request)
	}
}

// unanswered breaks off a request that the API server has not answered. One that the
// client itself has given up is not counted.
func (p *Proxy) unanswered(_ http.ResponseWriter, request *http.Request, _ error) {
	if request.Context().Err() == nil {
		p.counts.unanswered.Add(1)
	}
	panic(http.ErrAbortHandler)
}

// watching returns the context of a watch, which ends when watches are dropped.
func (p *Proxy) watching(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	id := p.next
	p.watches[id] = cancel
	return ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.watches, id)
		cancel()
	}
}

// throttle answers as an API server does that has too much to do.
func throttle(w http.ResponseWriter, after time.Duration) {
	seconds := int(math.Ceil(after.Seconds()))
	status := apierrors.NewTooManyRequests("the proxy has too much to do", seconds).Status()
	status.Kind, status.APIVersion = "Status", "v1"
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	w.WriteHeader(http.StatusTooManyRequests)
	_ = json.NewEncoder(w).Encode(status)
}

// nowhere takes an answer that nobody gets.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header            { return n.header }
func (n nowhere) Write(data []byte) (int, error) { return io.Discard.Write(data) }
func (n nowhere) WriteHeader(int)                {}

// Every returns what lets trouble come to every nth of the requests that match.
func Every(n int, trouble Trouble, match func(*http.Request) bool) func(*http.Request) Trouble {
	seen := make(chan int, 1)
	seen <- 0
	return func(request *http.Request) Trouble {
		if !match(request) {
			return Trouble{}
		}
		count := <-seen + 1
		seen <- count
		if count%n != 0 {
			return Trouble{}
		}
		return trouble
	}
}
