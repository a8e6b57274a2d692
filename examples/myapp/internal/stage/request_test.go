package stage

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	const apply = "application/apply-patch+yaml"
	cases := map[string]struct {
		method, url, contentType string
		want                     Request
		words                    string
		write                    bool
	}{
		"get": {
			"GET", "/api/v1/namespaces/demo/services/web", "",
			Request{Verb: "get", Resource: "services", Namespace: "demo", Name: "web"}, "get services web", false,
		},
		"list": {
			"GET", "/apis/apps/v1/deployments?limit=500", "",
			Request{Verb: "list", Group: "apps", Resource: "deployments"}, "list deployments", false,
		},
		"watch": {
			"GET", "/apis/apps/v1/namespaces/demo/deployments?watch=true", "",
			Request{Verb: "watch", Group: "apps", Resource: "deployments", Namespace: "demo"}, "watch deployments", false,
		},
		"create": {
			"POST", "/apis/events.k8s.io/v1/namespaces/demo/events", "application/json",
			Request{Verb: "create", Group: "events.k8s.io", Resource: "events", Namespace: "demo"}, "create events", true,
		},
		"update": {
			"PUT", "/api/v1/namespaces/demo/services/web", "application/json",
			Request{Verb: "update", Resource: "services", Namespace: "demo", Name: "web"}, "update services web", true,
		},
		"apply": {
			"PATCH", "/apis/apps/v1/namespaces/demo/deployments/web?force=true", apply,
			Request{Verb: "patch", Apply: true, Group: "apps", Resource: "deployments", Namespace: "demo", Name: "web"},
			"apply deployments web", true,
		},
		"patch of a status": {
			"PATCH", "/apis/apps.example.com/v1/namespaces/demo/myapps/web/status", "application/merge-patch+json",
			Request{Verb: "patch", Group: "apps.example.com", Resource: "myapps", Subresource: "status", Namespace: "demo", Name: "web"},
			"patch myapps/status web", true,
		},
		"delete": {
			"DELETE", "/api/v1/namespaces/demo/services/web", "",
			Request{Verb: "delete", Resource: "services", Namespace: "demo", Name: "web"}, "delete services web", true,
		},
		"delete all": {
			"DELETE", "/api/v1/namespaces/demo/services", "",
			Request{Verb: "deletecollection", Resource: "services", Namespace: "demo"}, "deletecollection services", true,
		},
		"a namespace itself": {
			"GET", "/api/v1/namespaces/demo", "",
			Request{Verb: "get", Resource: "namespaces", Name: "demo"}, "get namespaces demo", false,
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), test.method, "https://server"+test.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", test.contentType)
			got, ok := parse(request)
			if !ok {
				t.Fatal("not recognised")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if got.String() != test.words || got.Write() != test.write {
				t.Errorf("it is told as %q, a write: %t; want %q, %t", got, got.Write(), test.words, test.write)
			}
		})
	}
}

func TestParseLeavesOutWhatIsNoResource(t *testing.T) {
	for _, path := range []string{"/", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/openapi/v3", "/version"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://server"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := parse(request); ok {
			t.Errorf("%s was taken for %+v", path, got)
		}
	}
}
