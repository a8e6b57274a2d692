package steptest

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/client-go/rest"
)

// A Request is one request that was sent to the API server, as the server
// itself would describe it.
type Request struct {
	// Time is when it was sent.
	Time time.Time
	// Verb is the verb as RBAC names it: get, list, watch, create, update, patch,
	// delete, deletecollection. An apply is a patch.
	Verb string
	// Group is the API group, "" for the core one.
	Group string
	// Resource is the plural, with the subresource if any: "myapps/status".
	Resource string
	// Namespace and Name say which object; Name is empty for a create and a list.
	Namespace, Name string
	// Code is the HTTP status of the answer, 0 if there was none.
	Code int
	// DryRun says that the server was asked to change nothing.
	DryRun bool
}

// String tells the request in a few words: "patch deployments demo/web 200".
func (r Request) String() string {
	text := r.Verb + " " + r.Resource
	if r.Namespace != "" || r.Name != "" {
		text += " " + strings.Trim(r.Namespace+"/"+r.Name, "/")
	}
	if r.Code >= http.StatusBadRequest {
		text += " refused: " + http.StatusText(r.Code)
	}
	return text
}

// Write reports whether the request was to change something in the cluster.
// Events are none: they tell about changes.
func (r Request) Write() bool {
	switch r.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return !r.DryRun && !r.ofEvents() && !r.ofReviews()
	}
	return false
}

func (r Request) ofEvents() bool { return r.Resource == "events" }

// ofReviews reports whether the request only asks a question: reviews are
// created but not stored.
func (r Request) ofReviews() bool { return strings.HasSuffix(r.Resource, "reviews") }

// informs reports whether the request is how a cache learns of objects.
func (r Request) informs() bool { return r.Verb == "list" || r.Verb == "watch" }

// Requests is a record of what was sent through the configurations that it was
// attached to. The zero value is ready to use. Safe for concurrent use.
type Requests struct {
	mu   sync.Mutex
	sent []Request
}

// Attach returns a copy of a configuration whose clients have what they send
// recorded, also what is refused or gets no answer.
func (r *Requests) Attach(config *rest.Config) *rest.Config {
	recorded := rest.CopyConfig(config)
	recorded.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(sent *http.Request) (*http.Response, error) {
			request := describe(sent)
			answer, err := next.RoundTrip(sent)
			if err == nil {
				request.Code = answer.StatusCode
			}
			r.add(request)
			return answer, err
		})
	})
	return recorded
}

func (r *Requests) add(request Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, request)
}

// All returns everything that was sent since the last Reset except the lists
// and watches that feed a cache, in the order of the answers.
func (r *Requests) All() []Request {
	return r.filter(func(request Request) bool { return !request.informs() })
}

// Writes returns what was sent to change something.
func (r *Requests) Writes() []Request { return r.filter(Request.Write) }

// Reset forgets what was sent.
func (r *Requests) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = nil
}

func (r *Requests) filter(keep func(Request) bool) []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	var kept []Request
	for _, request := range r.sent {
		// Discovery is about the server, not about objects.
		if request.Resource != "" && keep(request) {
			kept = append(kept, request)
		}
	}
	return slices.Clip(kept)
}

// parser reads URLs as the API server does.
var parser = &request.RequestInfoFactory{
	APIPrefixes:          sets.NewString("api", "apis"),
	GrouplessAPIPrefixes: sets.NewString("api"),
}

func describe(sent *http.Request) Request {
	request := Request{Time: time.Now(), DryRun: sent.URL.Query().Has("dryRun")}
	info, err := parser.NewRequestInfo(sent)
	if err != nil || !info.IsResourceRequest {
		return request
	}
	request.Verb, request.Group, request.Resource = info.Verb, info.APIGroup, info.Resource
	request.Namespace, request.Name = info.Namespace, info.Name
	if info.Subresource != "" {
		request.Resource += "/" + info.Subresource
	}
	return request
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(sent *http.Request) (*http.Response, error) { return f(sent) }
