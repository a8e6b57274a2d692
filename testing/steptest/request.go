package steptest

import (
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/endpoints/request"
)

// A Request is one request that was sent to the API server, as the server
// itself would describe it.
type Request struct {
	// Time is when it was sent.
	Time time.Time
	// Verb is the verb as RBAC names it: get, list, watch, create, update, patch,
	// delete, deletecollection. An apply is a patch.
	Verb string
	// Apply says that the patch is a server-side apply.
	Apply bool
	// Group is the API group, "" for the core one.
	Group string
	// Resource is the plural, with the subresource if any: "myapps/status".
	Resource string
	// Namespace and Name say which object. Name is empty for a create and, unless
	// it asks for one name only, for a list or watch; Namespace is for what is in
	// none, like a Namespace itself.
	Namespace, Name string
	// Code is the HTTP status of the answer, 0 if there was none.
	Code int
	// DryRun says that the server was asked to change nothing.
	DryRun bool
	// Body is what was sent, as it was encoded: JSON, YAML or protobuf. Empty
	// unless [Requests.KeepBodies] was set.
	Body string
}

// String tells the request in a few words: "apply deployments demo/web", with
// " refused: Forbidden" at the end if it was.
func (r Request) String() string {
	verb := r.Verb
	if r.Apply {
		verb = "apply"
	}
	text := verb + " " + r.Resource
	if r.Namespace != "" || r.Name != "" {
		text += " " + strings.Trim(r.Namespace+"/"+r.Name, "/")
	}
	if r.Code >= http.StatusBadRequest {
		text += " refused: " + http.StatusText(r.Code)
	}
	return text
}

// Write reports whether the request was to change something in the cluster.
// Events are none: they tell about changes. Neither are reviews, which are
// created but not stored.
func (r Request) Write() bool {
	return r.sends() && !r.DryRun && !r.Event() && !strings.HasSuffix(r.Resource, "reviews")
}

// Event reports whether the request was to record an event, of either API.
func (r Request) Event() bool { return r.sends() && r.Resource == "events" }

// sends reports whether the verb is one that has something to say.
func (r Request) sends() bool {
	switch r.Verb {
	case "create", "update", "patch", "delete", "deletecollection":
		return true
	}
	return false
}

// informs reports whether the request is how a cache learns of objects.
func (r Request) informs() bool { return r.Verb == "list" || r.Verb == "watch" }

// parser reads URLs as the API server does.
var parser = &request.RequestInfoFactory{
	APIPrefixes:          sets.NewString("api", "apis"),
	GrouplessAPIPrefixes: sets.NewString("api"),
}

// Describe returns what is to be known of a request before it is answered, and
// false if it is not about objects but about the server, such as discovery.
func Describe(sent *http.Request) (Request, bool) {
	info, err := parser.NewRequestInfo(sent)
	if err != nil || !info.IsResourceRequest {
		return Request{}, false
	}
	described := Request{
		Time:      time.Now(),
		Verb:      info.Verb,
		Apply:     strings.HasPrefix(sent.Header.Get("Content-Type"), "application/apply-patch"), // in YAML or CBOR
		Group:     info.APIGroup,
		Resource:  info.Resource,
		Namespace: info.Namespace,
		Name:      info.Name,
		DryRun:    sent.URL.Query().Has("dryRun"),
	}
	if info.Resource == "namespaces" {
		described.Namespace = "" // to the server, a Namespace is in itself
	}
	if info.Subresource != "" {
		described.Resource += "/" + info.Subresource
	}
	return described, true
}
