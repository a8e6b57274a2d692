package stage

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// A Request is one that the operator has sent, in the words of RBAC.
type Request struct {
	At                           time.Time // when it was sent
	Verb                         string    // get, list, watch, create, update, patch or delete
	Group, Resource, Subresource string
	Namespace                    string
	Name                         string // empty for list, watch and create
	Apply                        bool   // a patch that is a server-side apply
	Code                         int    // the HTTP status of the answer, 0 if there was none
}

// Write reports whether the request is one that changes something.
func (r Request) Write() bool {
	switch r.Verb {
	case "get", "list", "watch":
		return false
	}
	return true
}

// String tells the request as a person would: "apply deployments web".
func (r Request) String() string {
	verb := r.Verb
	if r.Apply {
		verb = "apply"
	}
	what := r.Resource
	if r.Subresource != "" {
		what += "/" + r.Subresource
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", verb, what, r.Name))
}

// parse reads from an HTTP request what it asks of the API server, and returns
// false if that is nothing that RBAC names by resource, such as discovery.
// The paths are those of the API conventions:
//
//	/api/v1/namespaces/{namespace}/{resource}/{name}/{subresource}
//	/apis/{group}/{version}/…
func parse(request *http.Request) (Request, bool) {
	parts := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
	parsed := Request{}
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		parsed.Group, parts = parts[1], parts[3:]
	default:
		return Request{}, false
	}
	if len(parts) >= 3 && parts[0] == "namespaces" {
		parsed.Namespace, parts = parts[1], parts[2:]
	}
	parsed.Resource = parts[0]
	if len(parts) > 1 {
		parsed.Name = parts[1]
	}
	if len(parts) > 2 {
		parsed.Subresource = parts[2]
	}
	parsed.Verb = verb(request, parsed.Name == "")
	parsed.Apply = strings.HasPrefix(request.Header.Get("Content-Type"), string(types.ApplyYAMLPatchType)) ||
		strings.HasPrefix(request.Header.Get("Content-Type"), string(types.ApplyCBORPatchType))
	return parsed, true
}

// verb returns what RBAC calls a request to one object or to a collection.
func verb(request *http.Request, collection bool) string {
	switch request.Method {
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodPatch:
		return "patch"
	case http.MethodDelete:
		if collection {
			return "deletecollection"
		}
		return "delete"
	}
	switch {
	case request.URL.Query().Has("watch"):
		return "watch"
	case collection:
		return "list"
	}
	return "get"
}
