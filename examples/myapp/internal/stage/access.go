package stage

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/trueup-dev/trueup/examples/myapp/config"
)

// Namespace and ServiceAccount are where and as whom the operator runs. They are
// what config/default makes.
const (
	Namespace      = "myapp-system"
	ServiceAccount = "myapp-controller-manager"
)

// ManagerRole returns the generated ClusterRole.
func ManagerRole() (*rbacv1.ClusterRole, error) {
	role := &rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict(config.ManagerRole, role); err != nil {
		return nil, fmt.Errorf("read the generated ClusterRole: %w", err)
	}
	role.Name = "myapp-" + role.Name // as config/default does
	return role, nil
}

// grant makes the service account and binds it to the generated ClusterRole and
// to nothing else, unless that was done before.
func grant(ctx context.Context, admin client.Client) error {
	role, err := ManagerRole()
	if err != nil {
		return err
	}
	for _, object := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}},
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: ServiceAccount, Namespace: Namespace}},
		role,
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: "myapp-manager-rolebinding"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: ServiceAccount, Namespace: Namespace}},
		},
	} {
		if err := admin.Create(ctx, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create %T %s: %w", object, object.GetName(), err)
		}
	}
	return nil
}
