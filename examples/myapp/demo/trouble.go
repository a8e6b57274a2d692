package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// The names of the apps that are in trouble.
const (
	picky = "picky"
	shop  = "shop"
)

const image = "nginxinc/nginx-unprivileged:1.29"

// rejected: what the CRD can tell is wrong never becomes an object.
func rejected(ctx context.Context, user *user, tell func(string, ...any)) error {
	err := user.create(ctx, "nowhere", &v1.MyApp{Spec: v1.MyAppSpec{Image: image, Port: 70000}})
	if !apierrors.IsInvalid(err) {
		return fmt.Errorf("the API server answered %w, want that it is invalid", err)
	}
	tell("the API server says: %s", err)
	return nil
}

// refused: what only a Deployment can tell is wrong ends in the app's condition,
// in the API server's words, until somebody mends it.
func refused(ctx context.Context, user *user, tell func(string, ...any)) error {
	app := &v1.MyApp{Spec: v1.MyAppSpec{Image: image, NodeSelector: map[string]string{"disk": "very fast"}}}
	if err := user.create(ctx, picky, app); err != nil {
		return err
	}
	message, err := user.awaitNotReady(ctx, picky, "Invalid")
	if err != nil {
		return err
	}
	if words := `Invalid value: "very fast"`; !strings.Contains(message, words) {
		return fmt.Errorf("the condition says %q, which lacks the API server's %s", message, words)
	}
	tell("Ready is False: %s", message)
	if err := user.tellTable(ctx, tell, false); err != nil {
		return err
	}
	if err := user.patch(ctx, picky, app, func() {
		app.Spec.NodeSelector = map[string]string{corev1.LabelOSStable: "linux"}
	}); err != nil {
		return err
	}
	if _, err := user.awaitReady(ctx, picky); err != nil {
		return err
	}
	tell("somebody mends it, and it becomes Ready")
	return user.deleteApp(ctx, picky)
}

// obstructed: an object that is nobody's is neither taken over nor deleted. As
// soon as it goes by itself, the app gets what it wants.
func obstructed(ctx context.Context, user *user, tell func(string, ...any)) error {
	service := &corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 1234}}}}
	if err := user.create(ctx, shop, service); err != nil {
		return err
	}
	untouched := service.ResourceVersion
	if err := user.create(ctx, shop, &v1.MyApp{Spec: v1.MyAppSpec{Image: image}}); err != nil {
		return err
	}
	message, err := user.awaitNotReady(ctx, shop, "NotControlled")
	if err != nil {
		return err
	}
	tell("Ready is False: %s", message)
	if err := user.tellOfShop(ctx, tell); err != nil {
		return err
	}
	if err := user.get(ctx, shop, service); err != nil {
		return err
	}
	if service.ResourceVersion != untouched || metav1.GetControllerOf(service) != nil {
		return fmt.Errorf("the Service was touched: %+v", service.ObjectMeta)
	}
	if err := user.delete(ctx, shop, service); err != nil {
		return err
	}
	freed := time.Now()
	if _, err := user.awaitReady(ctx, shop); err != nil {
		return err
	}
	tell("somebody deletes the Service, and %s later the app is Ready with one of its own", time.Since(freed).Round(time.Millisecond))
	return user.deleteApp(ctx, shop)
}
