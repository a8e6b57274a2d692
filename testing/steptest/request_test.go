package steptest

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestDescribe(t *testing.T) {
	const apply = "application/apply-patch+yaml"
	cases := map[string]struct {
		method, url, contentType string
		want                     Request
		words                    string
		write, event             bool
	}{
		"get": {
			method: "GET", url: "/api/v1/namespaces/demo/services/web",
			want:  Request{Verb: "get", Resource: "services", Namespace: "demo", Name: "web"},
			words: "get services demo/web",
		},
		"list": {
			method: "GET", url: "/apis/apps/v1/deployments?limit=500",
			want:  Request{Verb: "list", Group: "apps", Resource: "deployments"},
			words: "list deployments",
		},
		"watch": {
			method: "GET", url: "/apis/apps/v1/namespaces/demo/deployments?watch=true",
			want:  Request{Verb: "watch", Group: "apps", Resource: "deployments", Namespace: "demo"},
			words: "watch deployments demo",
		},
		"watch of one": {
			method: "GET", url: "/api/v1/namespaces/demo/services?watch=true&fieldSelector=metadata.name%3Dweb",
			want:  Request{Verb: "watch", Resource: "services", Namespace: "demo", Name: "web"},
			words: "watch services demo/web",
		},
		"create": {
			method: "POST", url: "/api/v1/namespaces/demo/services", contentType: "application/json",
			want:  Request{Verb: "create", Resource: "services", Namespace: "demo"},
			words: "create services demo", write: true,
		},
		"event": {
			method: "POST", url: "/apis/events.k8s.io/v1/namespaces/demo/events", contentType: "application/json",
			want:  Request{Verb: "create", Group: "events.k8s.io", Resource: "events", Namespace: "demo"},
			words: "create events demo", event: true,
		},
		"list of events": {
			method: "GET", url: "/api/v1/namespaces/demo/events",
			want:  Request{Verb: "list", Resource: "events", Namespace: "demo"},
			words: "list events demo",
		},
		"review": {
			method: "POST", url: "/apis/authorization.k8s.io/v1/subjectaccessreviews", contentType: "application/json",
			want:  Request{Verb: "create", Group: "authorization.k8s.io", Resource: "subjectaccessreviews"},
			words: "create subjectaccessreviews",
		},
		"update": {
			method: "PUT", url: "/api/v1/namespaces/demo/services/web", contentType: "application/json",
			want:  Request{Verb: "update", Resource: "services", Namespace: "demo", Name: "web"},
			words: "update services demo/web", write: true,
		},
		"apply": {
			method: "PATCH", url: "/apis/apps/v1/namespaces/demo/deployments/web?force=true", contentType: apply,
			want:  Request{Verb: "patch", Apply: true, Group: "apps", Resource: "deployments", Namespace: "demo", Name: "web"},
			words: "apply deployments demo/web", write: true,
		},
		"apply in CBOR": {
			method: "PATCH", url: "/api/v1/namespaces/demo/services/web", contentType: "application/apply-patch+cbor",
			want:  Request{Verb: "patch", Apply: true, Resource: "services", Namespace: "demo", Name: "web"},
			words: "apply services demo/web", write: true,
		},
		"dry run": {
			method: "PATCH", url: "/api/v1/namespaces/demo/services/web?dryRun=All", contentType: apply,
			want:  Request{Verb: "patch", Apply: true, DryRun: true, Resource: "services", Namespace: "demo", Name: "web"},
			words: "apply services demo/web",
		},
		"patch of a status": {
			method: "PATCH", url: "/apis/apps.example.com/v1/namespaces/demo/myapps/web/status", contentType: "application/merge-patch+json",
			want:  Request{Verb: "patch", Group: "apps.example.com", Resource: "myapps/status", Namespace: "demo", Name: "web"},
			words: "patch myapps/status demo/web", write: true,
		},
		"delete": {
			method: "DELETE", url: "/api/v1/namespaces/demo/services/web",
			want:  Request{Verb: "delete", Resource: "services", Namespace: "demo", Name: "web"},
			words: "delete services demo/web", write: true,
		},
		"delete all": {
			method: "DELETE", url: "/api/v1/namespaces/demo/services",
			want:  Request{Verb: "deletecollection", Resource: "services", Namespace: "demo"},
			words: "deletecollection services demo", write: true,
		},
		"a namespace itself": {
			method: "GET", url: "/api/v1/namespaces/demo",
			want:  Request{Verb: "get", Resource: "namespaces", Name: "demo"},
			words: "get namespaces demo",
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			before := time.Now()
			got, ok := Describe(newRequest(t, test.method, test.url, test.contentType))
			if !ok {
				t.Fatal("not recognised")
			}
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(Request{}, "Time")); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if got.Time.Before(before) || got.Time.After(time.Now()) {
				t.Errorf("it was sent at %s, not between %s and now", got.Time, before)
			}
			if got.String() != test.words || got.Write() != test.write || got.Event() != test.event {
				t.Errorf("it is told as %q, a write: %t, an event: %t; want %q, %t, %t",
					got, got.Write(), got.Event(), test.words, test.write, test.event)
			}
		})
	}
}

func TestDescribeLeavesOutWhatIsAboutTheServer(t *testing.T) {
	for _, path := range []string{"/", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/openapi/v3", "/version"} {
		if got, ok := Describe(newRequest(t, http.MethodGet, path, "")); ok {
			t.Errorf("%s was taken for %+v", path, got)
		}
	}
}

func TestStringTellsARefusal(t *testing.T) {
	request := Request{Verb: "delete", Resource: "services", Namespace: "demo", Name: "web", Code: http.StatusForbidden}
	if got, want := request.String(), "delete services demo/web refused: Forbidden"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func newRequest(t *testing.T, method, url, contentType string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "https://server"+url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	return request
}
