package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/testing/steptest"
)

// rules say what becomes of requests.
type rules struct {
	mu  sync.Mutex
	all []*rule
}

type rule struct {
	matches func(steptest.Request) bool
	times   int // -1 for ever
	answer  Answer
}

// Answer is what becomes of a request.
type Answer func(next http.RoundTripper, sent *http.Request) (*http.Response, error)

// On lets the next requests of the operator that match come to something else, as
// often as said, -1 for ever.
func (w *World) On(matches func(steptest.Request) bool, times int, answer Answer) {
	w.rules.mu.Lock()
	defer w.rules.mu.Unlock()
	w.rules.all = append(w.rules.all, &rule{matches: matches, times: times, answer: answer})
}

// Heal ends all of that.
func (w *World) Heal() {
	w.rules.mu.Lock()
	defer w.rules.mu.Unlock()
	w.rules.all = nil
}

func (r *rules) apply(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(sent *http.Request) (*http.Response, error) {
		if found := r.find(describe(sent)); found != nil {
			return found.answer(next, sent)
		}
		return next.RoundTrip(sent)
	})
}

func (r *rules) find(request steptest.Request) *rule {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, rule := range r.all {
		if rule.times != 0 && rule.matches(request) {
			if rule.times > 0 {
				rule.times--
			}
			return rule
		}
	}
	return nil
}

// WritesTo matches writes to a resource, such as "services" or "myapps/status".
func WritesTo(resource string) func(steptest.Request) bool {
	return func(request steptest.Request) bool { return request.Write() && request.Resource == resource }
}

// Refuse answers without asking the server.
func Refuse(code int32, reason metav1.StatusReason, message string, causes ...metav1.StatusCause) Answer {
	return func(_ http.RoundTripper, sent *http.Request) (*http.Response, error) {
		status := metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
			Status:   metav1.StatusFailure, Code: code, Reason: reason, Message: message,
			Details: &metav1.StatusDetails{Causes: causes},
		}
		body, err := json.Marshal(status)
		if err != nil {
			return nil, err
		}
		return &http.Response{
			StatusCode: int(code), Status: fmt.Sprint(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header:  http.Header{"Content-Type": {"application/json"}},
			Body:    io.NopCloser(bytes.NewReader(body)),
			Request: sent,
		}, nil
	}
}

// LoseAnswer lets the server do it, and nobody learns of it.
func LoseAnswer(next http.RoundTripper, sent *http.Request) (*http.Response, error) {
	answer, err := next.RoundTrip(sent)
	if err == nil {
		_ = answer.Body.Close()
	}
	return nil, errors.Join(errTimeout, err)
}

// TimeOut lets the request get nowhere.
func TimeOut(http.RoundTripper, *http.Request) (*http.Response, error) { return nil, errTimeout }

var errTimeout = errors.New("timed out waiting for an answer")

// After lets something happen right after the server has done it.
func After(do func()) Answer {
	return func(next http.RoundTripper, sent *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(sent)
		do()
		return answer, err
	}
}

// Before lets something happen right before the request reaches the server.
func Before(do func()) Answer {
	return func(next http.RoundTripper, sent *http.Request) (*http.Response, error) {
		do()
		return next.RoundTrip(sent)
	}
}
