package steptest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// answer is a server that answers everything with a code.
func answer(code int) http.RoundTripper {
	return roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: code, Body: http.NoBody}, nil
	})
}

func send(t *testing.T, through http.RoundTripper, method, path string) error {
	t.Helper()
	response, err := through.RoundTrip(newRequest(t, method, path, ""))
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// told returns requests in words.
func told(requests []Request) []string {
	var words []string
	for _, request := range requests {
		words = append(words, request.String())
	}
	return words
}

func TestRequestsRecordEveryAnswer(t *testing.T) {
	requests := &Requests{}
	for _, test := range []struct {
		path string
		code int
	}{
		{"/api/v1/namespaces/demo/services/web", http.StatusForbidden},
		{"/version", http.StatusOK}, // is not about objects
	} {
		if err := send(t, requests.Wrap(answer(test.code)), http.MethodGet, test.path); err != nil {
			t.Fatal(err)
		}
	}
	lost := errors.New("connection lost")
	broken := roundTripper(func(*http.Request) (*http.Response, error) { return nil, lost })
	if err := send(t, requests.Wrap(broken), http.MethodGet, "/api/v1/namespaces/demo/services/web"); !errors.Is(err, lost) {
		t.Errorf("the error became %v", err)
	}
	recorded := requests.All()
	if len(recorded) != 2 || recorded[0].Code != http.StatusForbidden || recorded[1].Code != 0 {
		t.Errorf("recorded are %+v", recorded)
	}
}

func TestRequestsFilter(t *testing.T) {
	requests := &Requests{}
	through := requests.Wrap(answer(http.StatusOK))
	for _, request := range []struct{ method, path string }{
		{http.MethodGet, "/api/v1/namespaces/demo/services"},
		{http.MethodGet, "/api/v1/namespaces/demo/services?watch=true"},
		{http.MethodGet, "/api/v1/namespaces/demo/services/web"},
		{http.MethodPost, "/api/v1/namespaces/demo/events"},
		{http.MethodDelete, "/api/v1/namespaces/demo/services/web"},
		{http.MethodDelete, "/api/v1/namespaces/other/services/web"},
	} {
		if err := send(t, through, request.method, request.path); err != nil {
			t.Fatal(err)
		}
	}
	demo := func(request Request) bool { return request.Namespace == "demo" }
	cases := map[string]struct {
		reason string
		got    []Request
		want   []string
	}{
		"no filter": {
			"what feeds a cache says nothing of a pass", requests.All(),
			[]string{"get services demo/web", "create events demo", "delete services demo/web", "delete services other/web"},
		},
		"one filter": {
			"whoever filters says what is of interest, lists and watches included", requests.All(demo),
			[]string{"list services demo", "watch services demo", "get services demo/web", "create events demo", "delete services demo/web"},
		},
		"two filters": {"both have to match", requests.All(demo, Request.Write), []string{"delete services demo/web"}},
		"none match":  {"nothing is nil", requests.All(func(Request) bool { return false }), nil},
		"writes":      {"events are none", requests.Writes(), []string{"delete services demo/web", "delete services other/web"}},
		"events":      {"of either API", requests.All(Request.Event), []string{"create events demo"}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, told(test.got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}

	requests.Reset()
	if left := requests.All(func(Request) bool { return true }); left != nil {
		t.Errorf("after a reset there are %v", left)
	}
}

// What a caller does to a result is no business of the next one.
func TestResultsAreTheCallersOwn(t *testing.T) {
	requests := &Requests{}
	if err := send(t, requests.Wrap(answer(http.StatusOK)), http.MethodDelete, "/api/v1/namespaces/demo/services/web"); err != nil {
		t.Fatal(err)
	}
	first := requests.All()
	first[0].Name = "spoiled"
	_ = append(first, Request{})
	if second := told(requests.All()); !slices.Equal(second, []string{"delete services demo/web"}) {
		t.Errorf("the next one got %v", second)
	}
}

// Attached to a client, the record leaves its configuration alone, and the body
// for the server.
func TestRequestsKeepBodiesOnDemand(t *testing.T) {
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
	for _, keep := range []bool{false, true} {
		var arrived string
		config := &rest.Config{Host: "https://server", Transport: roundTripper(func(sent *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(sent.Body)
			arrived = string(body)
			return &http.Response{
				StatusCode: http.StatusCreated, Header: sent.Header, Body: io.NopCloser(bytes.NewReader(body)),
			}, err
		})}
		requests := &Requests{KeepBodies: keep}
		c, err := client.New(requests.Attach(config), client.Options{Mapper: mapper})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Create(t.Context(), &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "web"}, Data: map[string]string{"said": "hello"},
		}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(arrived, "hello") {
			t.Errorf("the server got %q", arrived)
		}
		want := ""
		if keep {
			want = arrived
		}
		recorded := requests.Writes()
		if len(recorded) != 1 || recorded[0].Body != want {
			t.Errorf("with KeepBodies %t, recorded is %+v, want the body %q", keep, recorded, want)
		}
		if config.WrapTransport != nil {
			t.Error("the configuration was changed")
		}
	}
}
