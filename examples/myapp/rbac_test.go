package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"sigs.k8s.io/yaml"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

func TestInstalledRolesAreThePrinted(t *testing.T) {
	for path, namespaces := range map[string][]string{
		"config/rbac/role.yaml":       nil,
		"config/namespaced/role.yaml": {"system"},
	} {
		var printed bytes.Buffer
		if err := printRBAC(&printed, namespaces); err != nil {
			t.Fatal(err)
		}
		installed, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(installed), printed.String()); diff != "" {
			t.Errorf("%s is not what --print-rbac prints; run go generate (-file +printed):\n%s", path, diff)
		}
	}
}

// roleIn returns the Role that is printed for a namespace.
func roleIn(t *testing.T, namespace string) *rbacv1.Role {
	t.Helper()
	var printed bytes.Buffer
	if err := printRBAC(&printed, []string{namespace}); err != nil {
		t.Fatal(err)
	}
	role := &rbacv1.Role{}
	if err := yaml.UnmarshalStrict(printed.Bytes(), role); err != nil {
		t.Fatal(err)
	}
	return role
}

// right is one verb on one resource.
type right struct{ group, resource, verb string }

// rightsOf takes rules apart.
func rightsOf(rules []rbacv1.PolicyRule) []right {
	var rights []right
	for _, rule := range rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				rights = append(rights, right{rule.APIGroups[0], resource, verb})
			}
		}
	}
	return rights
}

// denial returns the words with which the API server denies the right.
func (r right) denial() string {
	if r.resource == "myapps/finalizers" {
		return "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"
	}
	return fmt.Sprintf("cannot %s resource %q in API group %q", r.verb, r.resource, r.group)
}

// shows reports whether a denial of the right can be told in the status. It
// cannot if there is no pass without the right, if the status cannot be written,
// or if what is denied is only a word about what happened.
func (r right) shows() bool {
	return r.verb != "list" && r.verb != "watch" && r.resource != "events" && r.resource != "myapps/status"
}

// together returns the rights that one operator can do without to show that each of
// them is needed: the lack of one does not keep it from asking for the next. What the
// pods of an app need comes before its Deployment; all else is beside it.
func (r right) together() string {
	switch {
	case r.resource == "secrets":
		return r.verb + " secrets"
	case r.verb == "list" || r.verb == "watch":
		return r.verb
	case r.group == v1.GroupVersion.Group || r.resource == "events":
		return r.verb + " " + strings.ReplaceAll(r.resource, "/", " ")
	case r.resource == "configmaps" || r.resource == "serviceaccounts":
		return r.verb + " what pods need"
	}
	return r.verb + " children"
}

// TestEveryRightIsNeeded runs the operator without rights that it asks for, until the
// API server denies it each of them, and looks for the words in the status of the app.
// Rights that do not hide one another are taken away together.
func TestEveryRightIsNeeded(t *testing.T) {
	newSite(t, "config/without-webhooks")
	rights := rightsOf(roleIn(t, "any").Rules)
	if len(rights) < 20 {
		t.Fatalf("only %d rights: %v", len(rights), rights)
	}
	groups := map[string][]right{}
	for _, one := range rights {
		groups[one.together()] = append(groups[one.together()], one)
	}
	for name, without := range groups {
		t.Run(name, func(t *testing.T) {
			if without[0].verb == "list" {
				// A cache is filled by a watch where the API server can do that, as this
				// one can; older ones are asked for a list.
				featurestesting.SetFeatureDuringTest(t, features.WatchListClient, false)
			}
			s := newSite(t, "config/without-webhooks")
			d := s.deprive(without)
			app := d.legacy()
			if name == "patch events" {
				// Two failures of one kind in one pass are one event that is counted up.
				quota := d.quota()
				d.start()
				d.answer(app, "ServiceReady", "exceeded quota", time.Minute)
				d.must(d.client.Delete(d.ctx, quota))
			} else {
				d.start()
			}
			for round := 0; !d.denied(without); round++ {
				d.stir(app, round)
			}
			if verb := without[0].verb; verb != "list" && verb != "watch" { // without a cache it has nothing to finish
				s.must(s.stop())
			}
		})
	}
}
