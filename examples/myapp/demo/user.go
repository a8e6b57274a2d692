package main

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/config"
	"github.com/trueup-dev/trueup/examples/myapp/internal/dns"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
)

const (
	namespace = "demo" // where the user does all this
	sample    = "web"  // the name of the app in config/samples
)

// user is the person in the story: an administrator who knows nothing of the
// operator's insides but may look into the DNS zone.
type user struct {
	config *rest.Config
	client client.Client
	zone   *dns.Zone
}

func newUser(ctx context.Context, admin *rest.Config, zone *dns.Zone) (*user, error) {
	c, err := client.New(admin, client.Options{Scheme: stage.Scheme, FieldOwner: "somebody"})
	if err != nil {
		return nil, fmt.Errorf("make the user's client: %w", err)
	}
	if err := c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		return nil, fmt.Errorf("create namespace %s: %w", namespace, err)
	}
	return &user{config: admin, client: c, zone: zone}, nil
}

// host is where the zone should have an app.
func (u *user) host(app string) string { return dns.Host(namespace, app) }

// applySample does what "kubectl apply --server-side" does.
func (u *user) applySample(ctx context.Context) error {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(config.Sample, &object.Object); err != nil {
		return fmt.Errorf("read the sample: %w", err)
	}
	object.SetNamespace(namespace)
	if err := u.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(object)); err != nil {
		return fmt.Errorf("apply the sample: %w", err)
	}
	return nil
}

func (u *user) scale(ctx context.Context, name string, replicas int32) error {
	app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}
	if err := u.client.SubResource("scale").Update(ctx, app, client.WithSubResourceBody(scale)); err != nil {
		return fmt.Errorf("scale %s: %w", name, err)
	}
	return nil
}

func (u *user) get(ctx context.Context, name string, object client.Object) error {
	return u.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, object)
}

func (u *user) create(ctx context.Context, name string, object client.Object) error {
	object.SetNamespace(namespace)
	object.SetName(name)
	return u.client.Create(ctx, object)
}

// patch reads the object, lets change change it, and sends the difference, again
// if somebody else has changed the object in between: finalizers are a list that
// is written as a whole.
func (u *user) patch(ctx context.Context, name string, object client.Object, change func()) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		if err := u.get(ctx, name, object); err != nil {
			return err
		}
		before := object.DeepCopyObject().(client.Object)
		change()
		return u.client.Patch(ctx, object, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	})
}

func (u *user) delete(ctx context.Context, name string, object client.Object) error {
	object.SetNamespace(namespace)
	object.SetName(name)
	return u.client.Delete(ctx, object)
}

// deleteApp deletes an app and waits until everything of it is gone.
func (u *user) deleteApp(ctx context.Context, name string) error {
	if err := u.delete(ctx, name, &v1.MyApp{}); err != nil {
		return err
	}
	return u.awaitGone(ctx, name)
}
