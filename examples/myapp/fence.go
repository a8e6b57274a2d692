package main

import (
	"context"
	"errors"
	"fmt"
	"net"
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
// are sent. A replica may also be away after that was looked at: that its time is
// not over is looked at again with each packet that leaves its connections, so that
// it had to be away in the very moment between that look and the system's call. What
// was sent before is the API server's, and safe as it is under any other replica's:
// see the preconditions of the steps.
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
		options.HTTPClient = nil // which would go around the fence
		return client.New(f.guarded(config), options)
	}
}

// guarded returns how to connect behind the fence.
func (f *fence) guarded(config *rest.Config) *rest.Config {
	guarded := rest.CopyConfig(config)
	guarded.Wrap(f.guard)
	dial := guarded.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext // as client-go's
	}
	guarded.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &fencedConn{Conn: conn, fence: f}, nil
	}
	return guarded
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
		if renews && f.over() {
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
		if writes(request) && (f.renewed.Load() == nil || f.over()) {
			return nil, refusal(request)
		}
		return next.RoundTrip(request)
	})
}

// over reports whether there was a lease, and it was not renewed lately enough. Of the
// two clocks the one counts by which more time has gone: the monotonic one stands still
// while a machine is suspended, and the other one may be set back.
func (f *fence) over() bool {
	renewed := f.renewed.Load()
	return renewed != nil && max(time.Since(*renewed), time.Now().Round(0).Sub(renewed.Round(0))) > f.term
}

// fencedConn is a connection that lets nothing out when the lease is over, and is broken
// from then on: a request of which a part was sent has no end, and nobody carries it out.
type fencedConn struct {
	net.Conn
	fence *fence
}

// Write implements [net.Conn].
func (c *fencedConn) Write(packet []byte) (int, error) {
	if c.fence.over() {
		return 0, errNotLeading
	}
	return c.Conn.Write(packet)
}

// refusal is the answer to a request that is not sent, as of any [http.RoundTripper]: it
// has closed the body.
func refusal(request *http.Request) error {
	if request.Body != nil {
		_ = request.Body.Close()
	}
	return fmt.Errorf("%s %s: %w", request.Method, request.URL.Path, errNotLeading)
}

type transport func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) { return t(request) }
