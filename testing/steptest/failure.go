package steptest

import (
	"fmt"
	"io"
	"net/http"
)

// A Failure is what goes wrong with a request, so many times: the next ones with this
// text do not do as they should, and those after them do. One of Code, Lost and Timeout
// must be said.
type Failure struct {
	// Request is the request, as [Request.String] tells it. Required.
	Request string
	// Times is how often it goes wrong. Defaults to once.
	Times int
	// Code refuses it, with a code of HTTP: the server does not do it.
	Code int
	// Lost has the server do it, and the client get an error instead of the answer.
	Lost bool
	// Timeout has the server do it, and answer 504, that its time was up.
	Timeout bool
}

// check returns what is wrong with how a failure is said, nil if nothing is.
func (f Failure) check() error {
	ways := 0
	for _, said := range []bool{f.Code != 0, f.Lost, f.Timeout} {
		if said {
			ways++
		}
	}
	switch {
	case f.Request == "" || f.Times < 0 || ways != 1:
		return fmt.Errorf("Fail %q: a request, and one of Code, Lost and Timeout are required", f.Request) //nolint:staticcheck // the field is meant
	case f.Code != 0 && f.Code < http.StatusBadRequest:
		return fmt.Errorf("Fail %q: %d is no code of a refusal", f.Request, f.Code) //nolint:staticcheck // the field is meant
	}
	return nil
}

// failing is a failure that comes to pass.
type failing struct {
	Failure
	left int
}

// expect has failures come to the requests from now on.
func (b *bench) expect(failures []Failure) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, failure := range failures {
		b.failures = append(b.failures, &failing{failure, max(1, failure.Times)})
	}
}

// failure returns what goes wrong with a request, the zero value if nothing does.
func (b *bench) failure(request string) Failure {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, failing := range b.failures {
		if failing.Request == request && failing.left > 0 {
			failing.left--
			return failing.Failure
		}
	}
	code := b.Refuse[request]
	if code != 0 {
		b.refused[request] = true
	}
	return Failure{Code: code}
}

// send sends a request, and has go wrong what has to.
func (f Failure) send(sent *http.Request, next http.RoundTripper) (*http.Response, error) {
	if f.Code != 0 {
		return Refusal(sent, f.Code), nil
	}
	answer, err := next.RoundTrip(sent)
	if err != nil || !f.Lost && !f.Timeout {
		return answer, err
	}
	_ = answer.Body.Close() // nobody gets it
	if f.Lost {
		return nil, io.ErrUnexpectedEOF
	}
	return Refusal(sent, http.StatusGatewayTimeout), nil
}
