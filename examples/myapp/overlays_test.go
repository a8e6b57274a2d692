package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
)

// TestNamespaced installs config/namespaced, where nothing is bound to the operator
// outside of its namespace, and runs it as it would run then.
func TestNamespaced(t *testing.T) {
	s := newSite(t, "config/namespaced")
	bindings := &rbacv1.ClusterRoleBindingList{}
	s.must(s.client.List(s.ctx, bindings))
	for _, binding := range bindings.Items { // of other directories
		if slices.ContainsFunc(binding.Subjects, func(who rbacv1.Subject) bool { return who.Namespace == stage.Namespace }) {
			s.must(s.client.Delete(s.ctx, &binding))
		}
	}
	deployment := &appsv1.Deployment{}
	s.get("myapp-controller-manager", deployment)
	s.checkPod(deployment)
	var args []string
	for _, arg := range deployment.Spec.Template.Spec.Containers[0].Args {
		args = append(args, strings.ReplaceAll(arg, "$(POD_NAMESPACE)", stage.Namespace)) // as the kubelet does
	}
	elsewhere := s.create(s.env.Namespace(t), "elsewhere")[0]
	s.start(append(args, "--metrics-bind-address=0"))
	here := s.create(stage.Namespace, "here")[0]
	s.awaitDeployment(here, 1)
	s.await("the operator is ready", func() error { return s.expect(http.StatusOK, "http://"+s.probes+"/readyz", "") })
	_, err := s.requests.Quiet(s.ctx)
	s.must(err)
	if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(elsewhere), deployment); !apierrors.IsNotFound(err) {
		t.Errorf("the app of another namespace was looked after: %v", err)
	}
	s.must(s.client.Delete(s.ctx, here))
	s.await("the app is gone", func() error {
		return mustBeNotFound(s.client.Get(s.ctx, client.ObjectKeyFromObject(here), here))
	})
	s.must(s.stop())
	s.checkRights()
}

func mustBeNotFound(err error) error {
	if err == nil {
		return fmt.Errorf("it is there")
	}
	return client.IgnoreNotFound(err)
}
