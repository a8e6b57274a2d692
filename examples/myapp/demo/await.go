package main

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
)

// await waits until check returns nil.
func (u *user) await(ctx context.Context, what string, check func(context.Context) error) error {
	return stage.Await(ctx, what, check)
}

// awaitReady waits until an app says that it is Ready at its latest generation,
// and until that is true: its pods are ready, its Service is there, and so is its
// DNS record.
func (u *user) awaitReady(ctx context.Context, name string) (*v1.MyApp, error) {
	app := &v1.MyApp{}
	err := u.await(ctx, name+" is Ready", func(ctx context.Context) error {
		if err := u.get(ctx, name, app); err != nil {
			return err
		}
		ready := condition(app)
		if ready.Status != metav1.ConditionTrue || ready.ObservedGeneration != app.Generation {
			return fmt.Errorf("condition Ready is %s at generation %d: %s", ready.Status, ready.ObservedGeneration, ready.Message)
		}
		deployment := &appsv1.Deployment{}
		if err := errors.Join(u.get(ctx, name, deployment), u.get(ctx, name, &corev1.Service{})); err != nil {
			return err
		}
		if is, want := deployment.Status.ReadyReplicas, *app.Spec.Replicas; is != want || app.Status.ReadyReplicas != want {
			return fmt.Errorf("%d of %d pods are ready, the app says %d", is, want, app.Status.ReadyReplicas)
		}
		if _, ok := u.zone.Lookup(u.host(name)); !ok {
			return fmt.Errorf("the zone has no %s", u.host(name))
		}
		return nil
	})
	return app, err
}

// awaitNotReady waits until an app says that it is not Ready, for a reason, at
// its latest generation. It returns the message.
func (u *user) awaitNotReady(ctx context.Context, name, reason string) (string, error) {
	message := ""
	err := u.await(ctx, name+" is not Ready, with reason "+reason, func(ctx context.Context) error {
		app := &v1.MyApp{}
		if err := u.get(ctx, name, app); err != nil {
			return err
		}
		ready := condition(app)
		if ready.Status != metav1.ConditionFalse || ready.Reason != reason || ready.ObservedGeneration != app.Generation {
			return fmt.Errorf("condition Ready is %s, %s: %s", ready.Status, ready.Reason, ready.Message)
		}
		message = ready.Message
		return nil
	})
	return message, err
}

// awaitGone waits until nothing is left of an app: neither itself nor anything
// with its labels, and no DNS record. What has its name but not its labels is not
// part of it.
func (u *user) awaitGone(ctx context.Context, name string) error {
	return u.await(ctx, "everything of "+name+" is gone", func(ctx context.Context) error {
		if err := u.get(ctx, name, &v1.MyApp{}); !apierrors.IsNotFound(err) {
			return errors.Join(err, errors.New("the MyApp is still there"))
		}
		for _, list := range []client.ObjectList{
			&appsv1.DeploymentList{}, &appsv1.ReplicaSetList{}, &corev1.PodList{}, &corev1.ServiceList{},
		} {
			if err := u.client.List(ctx, list, client.InNamespace(namespace),
				client.MatchingLabels{"app.kubernetes.io/instance": name}); err != nil {
				return err
			}
			if n := meta.LenList(list); n > 0 {
				return fmt.Errorf("there are %d items in the %T", n, list)
			}
		}
		if target, ok := u.zone.Lookup(u.host(name)); ok {
			return fmt.Errorf("the zone still points %s to %s", u.host(name), target)
		}
		return nil
	})
}

// condition returns what an app says of itself, if only that it is Unknown.
func condition(app *v1.MyApp) metav1.Condition {
	if ready := meta.FindStatusCondition(app.Status.Conditions, "Ready"); ready != nil {
		return *ready
	}
	return metav1.Condition{Type: "Ready", Status: metav1.ConditionUnknown}
}
