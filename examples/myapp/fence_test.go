package main

import (
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
)

// fenceTerm is for how long a renewal lets a replica of these tests write: none of them
// waits until it is over, they say that it was longer ago.
const fenceTerm = time.Hour

// ago has the lease renewed some time ago.
func (f *fence) ago(d time.Duration) {
	renewed := time.Now().Add(-d)
	f.renewed.Store(&renewed)
}

// listener is an API server that tells of each request whether it came whole.
type listener struct {
	*testing.T
	config *rest.Config
	begun  chan string // the methods of requests as they begin
	ended  chan error  // what became of their bodies
}

func newListener(t *testing.T) *listener {
	t.Helper()
	l := &listener{T: t, begun: make(chan string, 1), ended: make(chan error, 1)}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		l.begun <- request.Method
		_, err := io.Copy(io.Discard, request.Body)
		l.ended <- err
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	l.config = &rest.Config{Host: server.URL}
	l.config.CAData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return l
}

// send sends a request in two parts; what happens in between is given.
func (l *listener) send(config *rest.Config, method, path string, between func()) error {
	l.Helper()
	sender, err := rest.HTTPClientFor(config)
	if err != nil {
		l.Fatal(err)
	}
	body, rest := io.Pipe()
	request, err := http.NewRequestWithContext(l.Context(), method, config.Host+path, body)
	if err != nil {
		l.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() {
		answer, err := sender.Do(request)
		if err == nil {
			err = answer.Body.Close()
		}
		sent <- err
	}()
	if _, err := rest.Write([]byte("{")); err == nil { // it was read by the transport
		<-l.begun
		between()
		_, _ = rest.Write([]byte("}"))
		_ = rest.Close()
	}
	return <-sent
}

// TestFence has a replica write with a lease, without one, and with one that is over
// before or in the middle of a request.
func TestFence(t *testing.T) {
	nothing := func() {}
	t.Run("no lease yet", func(t *testing.T) {
		l, f := newListener(t), &fence{term: fenceTerm}
		if err := l.send(f.guarded(l.config), http.MethodPatch, "/x", nothing); !errors.Is(err, errNotLeading) {
			t.Errorf("a write was answered with %v", err)
		}
		if err := l.send(f.guarded(l.config), http.MethodGet, "/x", nothing); err != nil {
			t.Errorf("a read was answered with %v", err)
		}
	})
	t.Run("with the lease", func(t *testing.T) {
		l, f := newListener(t), &fence{term: fenceTerm}
		f.ago(fenceTerm / 2)
		if err := errors.Join(l.send(f.guarded(l.config), http.MethodPatch, "/x", nothing), <-l.ended); err != nil {
			t.Error(err)
		}
	})
	t.Run("over before a write", func(t *testing.T) {
		l, f := newListener(t), &fence{term: fenceTerm}
		f.ago(2 * fenceTerm)
		if err := l.send(f.guarded(l.config), http.MethodDelete, "/x", nothing); !errors.Is(err, errNotLeading) {
			t.Errorf("a write was answered with %v", err)
		}
	})
	t.Run("over in the middle of a write", func(t *testing.T) {
		l, f := newListener(t), &fence{term: fenceTerm}
		f.ago(0)
		err := l.send(f.guarded(l.config), http.MethodPatch, "/x", func() { f.ago(2 * fenceTerm) })
		if !errors.Is(err, errNotLeading) {
			t.Errorf("the write was answered with %v", err)
		}
		if err := <-l.ended; err == nil {
			t.Error("the write has arrived whole")
		}
		f.ago(0)
		if err := l.send(f.guarded(l.config), http.MethodPatch, "/x", nothing); err != nil {
			t.Errorf("a write with the lease renewed was answered with %v", err)
		}
	})
	t.Run("the lease itself", func(t *testing.T) {
		l, f := newListener(t), &fence{term: fenceTerm}
		manager := ctrl.Options{}
		f.put(l.config, &manager)
		err := errors.Join(l.send(manager.LeaderElectionConfig, http.MethodPut, "/leases/x", nothing), <-l.ended)
		if err != nil || f.over() {
			t.Fatalf("the first renewal was answered with %v", err)
		}
		f.ago(2 * fenceTerm)
		if err := l.send(manager.LeaderElectionConfig, http.MethodPut, "/leases/x", nothing); !errors.Is(err, errNotLeading) {
			t.Errorf("a renewal, or a release, after the end was answered with %v", err)
		}
	})
}
