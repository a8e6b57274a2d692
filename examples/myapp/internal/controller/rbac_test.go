package controller_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
)

// rights are verbs by resource, such as "myapps.apps.example.com/status".
type rights map[string]sets.Set[string]

// add adds rights to a resource, or to a subresource: "myapps/status".
func (r rights) add(group, resource string, verbs ...string) {
	resource, subresource, divided := strings.Cut(resource, "/")
	name := schema.GroupResource{Group: group, Resource: resource}.String()
	if divided {
		name += "/" + subresource
	}
	r[name] = sets.New(verbs...).Union(r[name])
}

// sorted returns the rights as lines.
func (r rights) sorted() []string {
	var lines []string
	for resource, verbs := range r {
		lines = append(lines, fmt.Sprint(resource, sets.List(verbs)))
	}
	slices.Sort(lines)
	return lines
}

// granted returns what the generated ClusterRole allows.
func granted(t *testing.T) rights {
	t.Helper()
	role, err := stage.ManagerRole()
	if err != nil {
		t.Fatal(err)
	}
	have := rights{}
	for _, rule := range role.Rules {
		if len(rule.NonResourceURLs)+len(rule.ResourceNames) > 0 {
			t.Errorf("this rule is of a sort that nothing asks for: %+v", rule)
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				have.add(group, resource, rule.Verbs...)
			}
		}
	}
	return have
}

// TestRoleSuffices lets an app live through everything, and looks at what the
// operator really asked for: nothing that it may not do.
func TestRoleSuffices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("web", image, 1)
	w.awaitReady(app)
	w.must(w.client.Delete(w.ctx, app))
	w.await("the app is gone", func() error {
		err := w.client.Get(w.ctx, client.ObjectKeyFromObject(app), app)
		if err == nil {
			return errors.New("it is still there")
		}
		return client.IgnoreNotFound(err)
	})
	w.quiet()

	used := rights{}
	for _, request := range w.operator.Requests.All(w.here) {
		if request.Code == http.StatusForbidden || request.Code == http.StatusUnauthorized {
			t.Errorf("%s was answered %d", request, request.Code)
		}
		if tells(request) {
			used.add(request.Group, request.Resource, request.Verb)
		}
	}
	allowed := granted(t)
	for resource, verbs := range used {
		if beyond := verbs.Difference(allowed[resource]); len(beyond) > 0 {
			t.Errorf("%s: the role lacks %v, which was asked for", resource, sets.List(beyond))
		}
	}
	for resource, verb := range map[string]string{
		"deployments.apps":               "patch",
		"services":                       "patch",
		"myapps.apps.example.com":        "patch",
		"myapps.apps.example.com/status": "patch",
		"events.events.k8s.io":           "create",
	} {
		if !used[resource].Has(verb) {
			t.Errorf("%s: nobody has asked for %s, so this test has not seen everything: %v", resource, verb, used.sorted())
		}
	}
}
