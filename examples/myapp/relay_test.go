package main

import (
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// relay is what the API server calls the webhooks through, as it does through a
// Service: calls go to the replicas that are ready, in turn. The webhooks can seem
// to be down or slow, too. It passes on what it does not understand: certificates
// are the webhooks' own.
type relay struct {
	port int

	mu       sync.Mutex
	state    string // "up", "down" or "slow"
	calls    map[net.Conn]net.Conn
	replicas []replica
	turns    int
}

// replica is where an operator serves webhooks, and what says whether it is ready.
type replica struct {
	address string
	ready   func() error
}

func newRelay(t *testing.T) *relay {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{port: listener.Addr().(*net.TCPAddr).Port, state: "up", calls: map[net.Conn]net.Conn{}}
	go func() {
		for {
			call, err := listener.Accept()
			if err != nil {
				return
			}
			go r.serve(call)
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		r.turn("down")
	})
	return r
}

// add adds a replica, and returns the port that it is to serve webhooks at.
func (r *relay) add(t *testing.T, ready func() error) int {
	t.Helper()
	address := freeAddress(t)
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.replicas = append(r.replicas, replica{address, ready})
	return port
}

// next returns where the replica serves whose turn it is, or "" if none is ready.
func (r *relay) next() string {
	r.mu.Lock()
	r.turns++
	turn, replicas := r.turns, slices.Clone(r.replicas)
	r.mu.Unlock()
	for i := range replicas {
		if next := replicas[(turn+i)%len(replicas)]; next.ready() == nil {
			return next.address
		}
	}
	return ""
}

// serve passes a connection on, or drops it, or leaves it waiting for an answer.
func (r *relay) serve(call net.Conn) {
	r.mu.Lock()
	state := r.state
	r.calls[call] = nil
	r.mu.Unlock()
	if state == "slow" {
		return // until it is cut
	}
	defer r.hangUp(call)
	if state == "down" {
		return
	}
	through, err := net.Dial("tcp", r.next())
	if err != nil {
		return // which it is too if there is nowhere to go
	}
	r.mu.Lock()
	r.calls[call] = through
	r.mu.Unlock()
	go func() {
		_, _ = io.Copy(through, call)
		r.hangUp(call)
	}()
	_, _ = io.Copy(call, through)
}

func (r *relay) hangUp(call net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = call.Close()
	if through := r.calls[call]; through != nil {
		_ = through.Close()
	}
	delete(r.calls, call)
}

// turn changes how the webhooks seem to be, and cuts all connections.
func (r *relay) turn(state string) {
	r.mu.Lock()
	r.state = state
	calls := make([]net.Conn, 0, len(r.calls))
	for call := range r.calls {
		calls = append(calls, call)
	}
	r.mu.Unlock()
	for _, call := range calls {
		r.hangUp(call)
	}
}

// reroute has the API server reach the webhooks on this machine: the Service has
// another name for its host, and what calls it another port. Whom it expects to
// meet there stays the same.
func (s *site) reroute(object *unstructured.Unstructured) {
	s.Helper()
	port := func(clientConfig any) {
		service := clientConfig.(map[string]any)["service"].(map[string]any)
		if s.webhooks == nil {
			s.webhooks = newRelay(s.T)
		}
		service["port"] = int64(s.webhooks.port)
	}
	switch kind := object.GetKind(); {
	case kind == "MutatingWebhookConfiguration" || kind == "ValidatingWebhookConfiguration":
		for _, webhook := range object.Object["webhooks"].([]any) {
			port(webhook.(map[string]any)["clientConfig"])
			webhook.(map[string]any)["timeoutSeconds"] = int64(1)
		}
	case kind == "CustomResourceDefinition":
		if converter, ok, _ := unstructured.NestedFieldNoCopy(object.Object, "spec", "conversion", "webhook", "clientConfig"); ok {
			port(converter)
		}
	case kind == "Service" && object.GetName() == webhookService:
		object.Object["spec"] = map[string]any{"type": "ExternalName", "externalName": "localhost"}
	}
}
