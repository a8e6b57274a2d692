package main

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/examples/myapp/internal/overlay"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// written is a role that is not printed but written by hand: for leader election, for
// the certificate of the webhooks, and to ask who may read metrics.
type written struct {
	kind, name string
	rules      []rbacv1.PolicyRule
}

// writtenRoles returns the roles that config/default binds to the operator, but for the
// printed one.
func (s *site) writtenRoles() []written {
	s.Helper()
	objects, err := overlay.Build("config/default")
	s.must(err)
	var roles []written
	for _, object := range objects {
		if kind := object.GetKind(); kind != "RoleBinding" && kind != "ClusterRoleBinding" {
			continue
		}
		binding := &rbacv1.RoleBinding{}
		s.must(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, binding))
		if binding.RoleRef.Name == "myapp-"+roleName || binding.Subjects[0].Name != stage.ServiceAccount {
			continue
		}
		for _, other := range objects {
			if other.GetKind() == binding.RoleRef.Kind && other.GetName() == binding.RoleRef.Name {
				role := &rbacv1.Role{}
				s.must(runtime.DefaultUnstructuredConverter.FromUnstructured(other.Object, role))
				roles = append(roles, written{other.GetKind(), other.GetName(), role.Rules})
			}
		}
	}
	return roles
}

// unused returns the rights of a role that no request has made use of, whatever became
// of it then.
func (r written) unused(requests []steptest.Request) []string {
	var unused []string
	for _, rule := range r.rules {
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""} // any
		}
		for _, one := range rightsOf([]rbacv1.PolicyRule{rule}) {
			for _, name := range names {
				if !slices.ContainsFunc(requests, func(request steptest.Request) bool {
					return request.Code != http.StatusForbidden && request.Verb == one.verb &&
						request.Group == one.group && request.Resource == one.resource && (name == "" || request.Name == name)
				}) {
					unused = append(unused, fmt.Sprintf("%s %s: %+v %s", r.kind, r.name, one, name))
				}
			}
		}
	}
	return unused
}

// TestWrittenRolesAreExact runs the operator of config/default until it has made use of
// every right that a role other than the printed one gives it. That no right is missing
// is what the tests of leader election, certificates and metrics show.
func TestWrittenRolesAreExact(t *testing.T) {
	s := newSite(t, "config/without-webhooks")
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: stage.Namespace, Name: "myapp.apps.example.com"}}
	s.must(client.IgnoreNotFound(s.client.Delete(s.ctx, lease))) // so that it is created
	s = newGuarded(t, "--webhook-cert-lifetime=3s")
	roles := s.writtenRoles()
	if len(roles) != 4 {
		t.Fatalf("there are %d roles: %+v", len(roles), roles)
	}
	scraper := s.token("scraper", "myapp-metrics-reader")
	s.await("the metrics are read", func() error { return s.expect(http.StatusOK, "https://"+s.metrics+"/metrics", scraper) })
	for _, role := range roles {
		s.await("every right of "+role.name+" is used", func() error {
			if unused := role.unused(s.requests.All()); len(unused) > 0 {
				return fmt.Errorf("unused: %v", unused)
			}
			return nil
		})
		if role.name == "myapp-leader-election-role" {
			verbs := cmpopts.SortSlices(func(a, b string) bool { return a < b })
			rules := cmpopts.SortSlices(func(a, b rbacv1.PolicyRule) bool { return a.Resources[0] < b.Resources[0] })
			if diff := cmp.Diff(reconcile.LeaderElectionRules(), role.rules, verbs, rules); diff != "" {
				t.Errorf("the role for leader election is not what package reconcile says (-says +is):\n%s", diff)
			}
		}
	}
	s.must(s.stop())
	s.checkRights()
}
