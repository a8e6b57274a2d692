package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// The acts of an app's life. Those in which something is wrong are in trouble.go.

func applied(ctx context.Context, user *user, tell func(string, ...any)) error {
	if err := user.applySample(ctx); err != nil {
		return err
	}
	app, err := user.awaitReady(ctx, sample)
	if err != nil {
		return err
	}
	tell("%d of %d replicas ready, %s points to it", app.Status.ReadyReplicas, *app.Spec.Replicas, user.host(sample))
	return nil
}

func scaled(ctx context.Context, user *user, tell func(string, ...any)) error {
	if err := user.scale(ctx, sample, 3); err != nil {
		return err
	}
	app, err := user.awaitReady(ctx, sample)
	if err != nil {
		return err
	}
	if *app.Spec.Replicas != 3 {
		return fmt.Errorf("the app has %d replicas, want 3", *app.Spec.Replicas)
	}
	tell("%d of 3 replicas ready", app.Status.ReadyReplicas)
	return nil
}

func meddled(ctx context.Context, user *user, tell func(string, ...any)) error {
	deployment := &appsv1.Deployment{}
	if err := user.get(ctx, sample, deployment); err != nil {
		return err
	}
	image := deployment.Spec.Template.Spec.Containers[0].Image
	if err := user.patch(ctx, sample, deployment, func() {
		deployment.Spec.Template.Spec.Containers[0].Image = "somebody/elses:1"
	}); err != nil {
		return err
	}
	if err := user.await(ctx, "the image is back", func(ctx context.Context) error {
		if err := user.get(ctx, sample, deployment); err != nil {
			return err
		}
		if is := deployment.Spec.Template.Spec.Containers[0].Image; is != image {
			return fmt.Errorf("the image is %s", is)
		}
		return nil
	}); err != nil {
		return err
	}
	tell("the image is %s again", image)
	_, err := user.awaitReady(ctx, sample)
	return err
}

func robbed(ctx context.Context, user *user, tell func(string, ...any)) error {
	service := &corev1.Service{}
	if err := user.get(ctx, sample, service); err != nil {
		return err
	}
	gone := service.UID
	if err := user.delete(ctx, sample, service); err != nil {
		return err
	}
	if err := user.await(ctx, "there is another Service", func(ctx context.Context) error {
		if err := user.get(ctx, sample, service); err != nil {
			return err
		}
		if service.UID == gone {
			return fmt.Errorf("it is still the one with UID %s", gone)
		}
		return nil
	}); err != nil {
		return err
	}
	tell("there is a Service again, with port %d", service.Spec.Ports[0].Port)
	_, err := user.awaitReady(ctx, sample)
	return err
}

// deleted: what the app has made goes, and its status says who keeps it.
func deleted(ctx context.Context, user *user, tell func(string, ...any)) error {
	const backup = "example.com/backup"
	app := &v1.MyApp{}
	if err := user.patch(ctx, sample, app, func() { app.Finalizers = append(app.Finalizers, backup) }); err != nil {
		return err
	}
	if err := user.delete(ctx, sample, &v1.MyApp{}); err != nil {
		return err
	}
	message, err := user.awaitNotReady(ctx, sample, "Deleting")
	if err != nil {
		return err
	}
	if !strings.Contains(message, backup) {
		return fmt.Errorf("the condition says %q, which lacks %s", message, backup)
	}
	if err := user.tellTable(ctx, tell, true); err != nil {
		return err
	}
	if err := user.patch(ctx, sample, app, func() {
		app.Finalizers = slices.DeleteFunc(app.Finalizers, func(name string) bool { return name == backup })
	}); err != nil {
		return err
	}
	if err := user.awaitGone(ctx, sample); err != nil {
		return err
	}
	tell("the backup lets go, and its Deployment, ReplicaSets, pods, Service and DNS record are gone too")
	return nil
}
