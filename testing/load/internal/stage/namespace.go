package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Namespace is where one implementation works, with its MyApps.
type Namespace struct {
	// Name is the namespace's.
	Name string

	cluster  *Cluster
	apps     int
	rollouts *running
}

// Namespace makes a namespace for that many MyApps, without making them.
func (c *Cluster) Namespace(ctx context.Context, implementation string, apps int) (*Namespace, error) {
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "load-" + implementation + "-"}}
	if err := c.client.Create(ctx, object); err != nil {
		return nil, fmt.Errorf("create namespace: %w", err)
	}
	n := &Namespace{Name: object.Name, cluster: c, apps: apps}
	if c.Controllers {
		return n, nil
	}
	var err error
	if n.rollouts, err = n.startRollouts(ctx); err != nil {
		return nil, errors.Join(err, n.Remove(ctx))
	}
	return n, nil
}

// Settle ends what was there for the time in which Deployments change.
func (n *Namespace) Settle() error {
	if n.rollouts == nil {
		return nil
	}
	defer func() { n.rollouts = nil }()
	return n.rollouts.stop()
}

// Remove deletes the namespace and everything in it, also when the context is
// done, and waits until it is gone. Operators must have stopped.
func (n *Namespace) Remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
	defer cancel()
	err := errors.Join(n.Settle(), n.empty(ctx))
	if err == nil {
		err = n.remove(ctx)
	}
	if err != nil {
		return fmt.Errorf("remove namespace %s: %w", n.Name, err)
	}
	return nil
}

// removeTimeout is enough for ten thousand MyApps on a busy machine.
const removeTimeout = 10 * time.Minute

// remove deletes the namespace itself. Without controllers nobody else takes its
// own finalizer off.
func (n *Namespace) remove(ctx context.Context) error {
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.Name}}
	if err := n.cluster.client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
		return err
	}
	if !n.cluster.Controllers {
		if err := n.cluster.client.SubResource("finalize").Update(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("finalize: %w", err)
		}
	}
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		err := n.cluster.client.Get(ctx, client.ObjectKeyFromObject(object), object)
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
	if err != nil {
		return fmt.Errorf("wait until it is gone: %w", err)
	}
	return nil
}
