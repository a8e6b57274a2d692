package stage

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
)

// answer is a server that answers everything with a code.
func answer(code int) http.RoundTripper {
	return roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: code, Body: http.NoBody}, nil
	})
}

func send(t *testing.T, client http.RoundTripper, path string) error {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://server"+path, nil)
	if err != nil {
		return err
	}
	response, err := client.RoundTrip(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

func all(Request) bool { return true }

func TestRequestsRecordWhatIsAnswered(t *testing.T) {
	requests := NewRequests()
	for path, server := range map[string]http.RoundTripper{
		"/api/v1/namespaces/demo/services/web": answer(http.StatusForbidden),
		"/version":                             answer(http.StatusOK), // of no interest
	} {
		if err := send(t, requests.Wrap(server), path); err != nil {
			t.Fatal(err)
		}
	}
	lost := errors.New("connection lost")
	broken := roundTripper(func(*http.Request) (*http.Response, error) { return nil, lost })
	if err := send(t, requests.Wrap(broken), "/api/v1/namespaces/demo/services/web"); !errors.Is(err, lost) {
		t.Errorf("the error became %v", err)
	}

	recorded := requests.All(all)
	if len(recorded) != 2 || recorded[0].Code != http.StatusForbidden || recorded[1].Code != 0 {
		t.Errorf("recorded are %+v", recorded)
	}
	if other := requests.All(func(r Request) bool { return r.Namespace == "other" }); len(other) != 0 {
		t.Errorf("of another namespace there are %v", other)
	}
}

func TestQuiet(t *testing.T) {
	requests := NewRequests()
	if err := send(t, requests.Wrap(answer(http.StatusOK)), "/api/v1/pods"); err != nil {
		t.Fatal(err)
	}
	if count, err := requests.Quiet(t.Context(), all); count != 1 || err != nil {
		t.Errorf("a client that does nothing: %d, %v", count, err)
	}
}

func TestQuietTellsWhoIsNot(t *testing.T) {
	requests := NewRequests()
	client := requests.Wrap(answer(http.StatusOK))
	ctx, cancel := context.WithTimeout(t.Context(), 4*look)
	defer cancel()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for ctx.Err() == nil {
			if err := send(t, client, "/api/v1/pods"); err != nil {
				t.Error(err)
			}
		}
	}()
	_, err := requests.Quiet(ctx, all)
	<-stopped
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "list pods") {
		t.Errorf("a client that does not rest: %v", err)
	}
}
