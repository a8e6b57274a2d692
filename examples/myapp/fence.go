package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// errNotLeading is why a write was not sent.
var errNotLeading = errors.New("this replica has not renewed its lease in time, another one may lead")

// fence keeps a replica that was away, as one is whose node was suspended, from
// writing after its lease ran out. Such a replica ends as soon as it notices, but
// a pass that goes on may be quicker than that: here its writes end, before they
// are sent. What was sent before is the API server's, and safe as it is under any
// other replica's: see the preconditions of the steps.
//
// Events are let through: they tell what happened before.
type fence struct {
	term    time.Duration // for how long a renewal lets it write
	renewed atomic.Pointer[time.Time]
}

// put puts the fence between the manager's client and the API server.
func (f *fence) put(config *rest.Config, manager *ctrl.Options) {
	manager.LeaderElectionConfig = rest.CopyConfig(config)
	manager.LeaderElectionConfig.Wrap(f.watch)
	manager.NewClient = func(config *rest.Config, options client.Options) (client.Client, error) {
		guarded := rest.CopyConfig(config)
		guarded.Wrap(f.guard)
		options.HTTPClient = nil // which would go around the fence
		return client.New(guarded, options)
	}
}

// watch notes when the lease was renewed: when that was asked for, as nobody else
// may count from a later time.
//
// A replica that was away leaves the lease alone, too. Leader election gives it back when
// it has not been renewed in time, without looking whose it is by then: it would be
// taken from the next leader, for any third one to have.
func (f *fence) watch(next http.RoundTripper) http.RoundTripper {
	return transport(func(request *http.Request) (*http.Response, error) {
		renews := writes(request) && strings.Contains(request.URL.Path, "/leases")
		if renews && f.renewed.Load() != nil && !f.open() {
			return nil, refusal(request)
		}
		now := time.Now()
		answer, err := next.RoundTrip(request)
		if err == nil && renews && answer.StatusCode < http.StatusMultipleChoices {
			f.renewed.Store(&now)
		}
		return answer, err
	})
}

// guard refuses to send writes without a lease.
func (f *fence) guard(next http.RoundTripper) http.RoundTripper {
	return transport(func(request *http.Request) (*http.Response, error) {
		if writes(request) && !f.open() {
			return nil, refusal(request)
		}
		return next.RoundTrip(request)
	})
}

// open reports whether the lease was renewed lately enough.
func (f *fence) open() bool {
	renewed := f.renewed.Load()
	return renewed != nil && time.Since(*renewed) <= f.term
}

func refusal(request *http.Request) error {
	return fmt.Errorf("%s %s: %w", request.Method, request.URL.Path, errNotLeading)
}

type transport func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) { return t(request) }
