package memory

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Server is an API server in memory. It is an http.RoundTripper: requests are
// answered by calling it. Make one with [Kinds.NewServer], which costs next to
// nothing; there is nothing to stop. Safe for concurrent use.
type Server struct {
	kinds *Kinds
	store *store
}

// NewServer returns an empty server that serves these kinds.
func (k *Kinds) NewServer() *Server { return &Server{kinds: k, store: newStore()} }

// Kinds returns what the server serves.
func (s *Server) Kinds() *Kinds { return s.kinds }

// Config returns a client configuration whose requests the server answers. It has
// no limit of rate.
func (s *Server) Config() *rest.Config {
	return &rest.Config{
		Host:          "http://memory",
		Transport:     s,
		QPS:           -1,
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON, AcceptContentTypes: runtime.ContentTypeJSON},
	}
}

// Client returns a client without a cache, through the server's configuration or
// one that was made of it. It panics where the scheme cannot make a client, which is
// never.
func (s *Server) Client(config *rest.Config) client.Client {
	made, err := client.New(config, client.Options{Scheme: s.kinds.scheme, Mapper: s.kinds.mapper})
	if err != nil {
		panic(fmt.Sprintf("make a client of a server in memory: %v", err))
	}
	return made
}

// Revision returns the number of changes so far, which is the resourceVersion of
// the latest.
func (s *Server) Revision() uint64 {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	return s.store.revision
}

// Since returns the changes after a revision, in order. What they hold must not
// be changed.
func (s *Server) Since(revision uint64) []Event {
	events, _ := s.store.since(revision)
	return events
}

// All returns every object that there is, ordered by kind, namespace and name. They
// must not be changed.
func (s *Server) All() []*unstructured.Unstructured { return s.store.all() }

// Object returns an object as it is, nil if there is none. It must not be changed.
func (s *Server) Object(kind schema.GroupKind, key types.NamespacedName) *unstructured.Unstructured {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	return s.store.objects[id{kind, key}]
}

var parser = &request.RequestInfoFactory{
	APIPrefixes:          sets.NewString("api", "apis"),
	GrouplessAPIPrefixes: sets.NewString("api"),
}

// RoundTrip implements http.RoundTripper.
func (s *Server) RoundTrip(sent *http.Request) (*http.Response, error) {
	if err := sent.Context().Err(); err != nil {
		return nil, err
	}
	info, err := parser.NewRequestInfo(sent)
	if err != nil {
		return nil, err
	}
	ctx := request.WithRequestInfo(sent.Context(), info)
	ctx = request.WithNamespace(ctx, info.Namespace)
	ctx = context.WithValue(audit.WithAuditContext(ctx), storeKey{}, s.store)
	received := sent.Clone(ctx)
	if received.Body == nil {
		received.Body = http.NoBody
	}
	handler := s.kinds.handler(info)
	if info.Verb == "watch" {
		return stream(handler, received), nil
	}
	recorder := httptest.NewRecorder()
	handler(recorder, received)
	answer := recorder.Result()
	answer.Request = sent
	return answer, nil
}

// stream answers a request that goes on, in the background.
func stream(handler http.HandlerFunc, received *http.Request) *http.Response {
	reader, writer := io.Pipe()
	streaming := &streaming{header: http.Header{}, pipe: writer, begun: make(chan int, 1)}
	ctx, cancel := context.WithCancel(received.Context())
	go func() {
		defer cancel()
		handler(streaming, received.WithContext(ctx))
		streaming.Flush()
		_ = writer.Close()
	}()
	code := <-streaming.begun
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: streaming.header, Body: closing{reader, cancel}, ContentLength: -1, Request: received,
	}
}

type closing struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (c closing) Close() error {
	c.cancel()
	return c.PipeReader.Close()
}

// streaming is the response of a request that goes on.
type streaming struct {
	header http.Header
	pipe   *io.PipeWriter
	begun  chan int
	sent   bool
	buffer bytes.Buffer
}

func (s *streaming) Header() http.Header { return s.header }

func (s *streaming) WriteHeader(code int) {
	if !s.sent {
		s.sent = true
		s.begun <- code
	}
}

func (s *streaming) Write(data []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	return s.buffer.Write(data)
}

// Flush implements http.Flusher.
func (s *streaming) Flush() {
	s.WriteHeader(http.StatusOK)
	_, _ = s.pipe.Write(s.buffer.Bytes())
	s.buffer.Reset()
}
