package stage

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// empty deletes the MyApps, whose finalizers nobody else takes off any more, and
// what the garbage collector would delete where there is one.
func (n *Namespace) empty(ctx context.Context) error {
	if err := n.each(ctx, &v1.MyAppList{}, n.free); err != nil {
		return fmt.Errorf("remove finalizers of MyApps: %w", err)
	}
	if err := n.deleteAll(ctx, &v1.MyApp{}); err != nil {
		return fmt.Errorf("delete MyApps: %w", err)
	}
	if err := n.deleteAll(ctx, &appsv1.Deployment{}); err != nil {
		return fmt.Errorf("delete Deployments: %w", err)
	}
	// One after the other, as the server does it, they took minutes: each gives an
	// address back.
	if err := n.each(ctx, &corev1.ServiceList{}, n.delete); err != nil {
		return fmt.Errorf("delete Services: %w", err)
	}
	return nil
}

// free takes the finalizers off an object.
func (n *Namespace) free(ctx context.Context, object client.Object) error {
	if len(object.GetFinalizers()) == 0 {
		return nil
	}
	none := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	return client.IgnoreNotFound(n.cluster.client.Patch(ctx, object, none))
}

// delete deletes an object.
func (n *Namespace) delete(ctx context.Context, object client.Object) error {
	return client.IgnoreNotFound(n.cluster.client.Delete(ctx, object))
}

// deleteAll deletes all objects of a kind. The server gives each request a
// minute, in which it may not get through with ten thousand.
func (n *Namespace) deleteAll(ctx context.Context, kind client.Object) error {
	for {
		err := n.cluster.client.DeleteAllOf(ctx, kind, client.InNamespace(n.Name),
			client.PropagationPolicy(metav1.DeletePropagationBackground))
		if !apierrors.IsTimeout(err) && !apierrors.IsServerTimeout(err) || ctx.Err() != nil {
			return err
		}
	}
}

// each does something with every object of a kind, with many at the same time.
func (n *Namespace) each(
	ctx context.Context, list client.ObjectList, do func(context.Context, client.Object) error,
) error {
	if err := n.cluster.client.List(ctx, list, client.InNamespace(n.Name)); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(users)
	items, err := meta.ExtractList(list)
	if err != nil {
		return err
	}
	for _, item := range items {
		object, ok := item.(client.Object)
		if !ok {
			return fmt.Errorf("%T is not an object", item)
		}
		group.Go(func() error { return do(ctx, object) })
	}
	return group.Wait()
}
