package world

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/steptest"
)

// roundTripper is an http.RoundTripper made of a function.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(sent *http.Request) (*http.Response, error) { return f(sent) }

// client makes a client without a cache.
func (w *World) client(wrap func(http.RoundTripper) http.RoundTripper) client.Client {
	w.t.Helper()
	config := rest.CopyConfig(w.config)
	config.Wrap(wrap)
	made, err := client.New(config, client.Options{Scheme: w.scheme})
	w.Must(err)
	return made
}

// transport is the way of the operator's requests: they end with the process, are
// counted, may be refused, and wake the operator if they change something.
func (p *Process) transport(next http.RoundTripper) http.RoundTripper {
	w := p.World
	counted := w.Requests.Wrap(w.rules.apply(w.noted(next)))
	return roundTripper(func(sent *http.Request) (*http.Response, error) {
		if p.dead.Load() {
			return nil, errDead
		}
		request := describe(sent)
		answer, err := counted.RoundTrip(sent)
		switch {
		case request.Verb == "":
		case err != nil:
			w.trace("  %s: %v", request, err)
		default:
			request.Code = answer.StatusCode
			w.trace("  %s", request)
		}
		if err == nil && request.Write() && answer.StatusCode < http.StatusBadRequest {
			if p.crashIn.Load() > 0 && p.crashIn.Add(-1) == 0 {
				p.dead.Store(true)
				_ = answer.Body.Close()
				return nil, errDead
			}
		}
		return answer, err
	})
}

// describe tells what a request is.
func describe(sent *http.Request) steptest.Request {
	one := &steptest.Requests{KeepBodies: true}
	nowhere := roundTripper(func(*http.Request) (*http.Response, error) { return nil, nil })
	//nolint:bodyclose // there is no answer
	_, _ = one.Wrap(nowhere).RoundTrip(sent)
	if all := one.All(func(steptest.Request) bool { return true }); len(all) == 1 {
		return all[0]
	}
	return steptest.Request{}
}

// versions are resourceVersions by UID.
type versions map[string]string

// noted notes the effects of the operator's requests.
func (w *World) noted(next http.RoundTripper) http.RoundTripper {
	watched := w.watched(next)
	return roundTripper(func(sent *http.Request) (*http.Response, error) {
		request := describe(sent)
		answer, err := watched.RoundTrip(sent)
		if err == nil && request.Write() && answer.StatusCode < http.StatusBadRequest {
			w.effect("%s %s %s", verbOf(request), request.Resource, request.Name)
		}
		return answer, err
	})
}

// watched lets what changes objects wake the operator.
func (w *World) watched(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(sent *http.Request) (*http.Response, error) {
		request := describe(sent)
		answer, err := next.RoundTrip(sent)
		if err != nil || !request.Write() || answer.StatusCode >= http.StatusBadRequest {
			return answer, err
		}
		resource, _, _ := strings.Cut(request.Resource, "/")
		w.view.outdated(resource)
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return nil, err
		}
		_ = answer.Body.Close()
		answer.Body = io.NopCloser(bytes.NewReader(body))
		object := &metav1.PartialObjectMetadata{}
		if json.Unmarshal(body, object) != nil || object.UID == "" {
			w.change()
			return answer, nil
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		// What goes with its last finalizer goes at the version that it had.
		if w.seen[string(object.UID)] != object.ResourceVersion || object.DeletionTimestamp != nil {
			w.seen[string(object.UID)] = object.ResourceVersion
			w.changed = true
		}
		return answer, nil
	})
}

// change says that something has changed that wakes the operator.
func (w *World) change() {
	w.view.outdated("")
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed = true
}
