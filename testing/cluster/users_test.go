package cluster

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// whoAmI asks the API server.
func whoAmI(t *testing.T, config *rest.Config) authenticationv1.UserInfo {
	t.Helper()
	review, err := clientFor(t, config).AuthenticationV1().SelfSubjectReviews().Create(t.Context(),
		&authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return review.Status.UserInfo
}

func TestUser(t *testing.T) {
	c := Shared(t)
	config, err := c.User("jane", "developers")
	if err != nil {
		t.Fatal(err)
	}
	got := whoAmI(t, config)
	if got.Username != "jane" {
		t.Errorf("user: want jane, got %s", got.Username)
	}
	if diff := cmp.Diff([]string{"developers", "system:authenticated"}, got.Groups); diff != "" {
		t.Errorf("groups: -want, +got:\n%s", diff)
	}
	if _, err := clientFor(t, config).CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a user who is bound to no role should be forbidden to list pods, got %v", err)
	}
	if _, err := c.User(""); err == nil {
		t.Error("an empty name should be an error")
	}
}

func TestServiceAccount(t *testing.T) {
	c := Shared(t)
	admin := clientFor(t, c.Config())
	namespace := c.Namespace(t)
	if _, err := c.ServiceAccount(t.Context(), namespace, "operator"); !apierrors.IsNotFound(err) {
		t.Errorf("a service account that does not exist should be not found, got %v", err)
	}
	if _, err := admin.CoreV1().ServiceAccounts(namespace).Create(t.Context(),
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "operator"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	config, err := c.ServiceAccount(t.Context(), namespace, "operator")
	if err != nil {
		t.Fatal(err)
	}
	if want, got := "system:serviceaccount:"+namespace+":operator", whoAmI(t, config).Username; want != got {
		t.Errorf("user: want %s, got %s", want, got)
	}
	configMaps := clientFor(t, config).CoreV1().ConfigMaps(namespace)
	if _, err := configMaps.List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("listing ConfigMaps should be forbidden before the account is bound, got %v", err)
	}
	if _, err := admin.RbacV1().RoleBindings(namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "operator"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "view"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: "operator"}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "listing ConfigMaps is allowed", func(ctx context.Context) (bool, error) {
		_, err := configMaps.List(ctx, metav1.ListOptions{})
		return err == nil, err
	})
	if err := configMaps.Delete(t.Context(), "kube-root-ca.crt", metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("deleting should still be forbidden, got %v", err)
	}
}
