package faults

import (
	"io"
	"net/http"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/trueup-dev/trueup/testing/steptest"
)

// transport lets things go wrong at the requests of an operator, by a schedule.
type transport struct {
	run *run

	mu    sync.Mutex
	count int
}

// attach returns a configuration whose requests come this way.
func (t *transport) attach(config *rest.Config) *rest.Config {
	attached := rest.CopyConfig(config)
	attached.Wrap(func(next http.RoundTripper) http.RoundTripper { return through{t, next} })
	return attached
}

type through struct {
	*transport
	next http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t through) RoundTrip(sent *http.Request) (*http.Response, error) {
	request, ok := steptest.Describe(sent)
	if !ok {
		return t.next.RoundTrip(sent)
	}
	if t.run.operator().Crashed() {
		t.run.operator().Crash() // whatever is left of the process sends no more
	}
	t.mu.Lock()
	t.count++
	at := t.count
	t.mu.Unlock()
	if t.run.live == nil {
		t.run.look()
	}
	fault := t.run.begin(at, request)
	switch fault {
	case Refused:
		return steptest.Refusal(sent, http.StatusInternalServerError), nil
	case Conflict:
		return steptest.Refusal(sent, http.StatusConflict), nil
	case CrashBefore, CrashBeforeStale:
		t.run.operator().Crash()
	}
	response, err := t.next.RoundTrip(sent)
	t.run.answered(at, response)
	switch fault {
	case Lost:
		drain(response)
		return nil, io.ErrUnexpectedEOF
	case Timeout:
		drain(response)
		return steptest.Refusal(sent, http.StatusGatewayTimeout), nil
	case CrashAfter, CrashAfterStale:
		drain(response)
		t.run.operator().Crash()
	}
	return response, err
}

func drain(response *http.Response) {
	if response != nil {
		_ = response.Body.Close()
	}
}
