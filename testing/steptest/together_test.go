package steptest

import (
	"context"
	"slices"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/cluster"
)

// crowd is a reconciler that makes several children of a Service at the same time.
type crowd struct {
	client.Client
	events events.EventRecorder
}

func (c crowd) setup(mgr ctrl.Manager) error {
	c.Client, c.events = mgr.GetClient(), mgr.GetEventRecorder("crowd")
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Service{}).Owns(&corev1.ConfigMap{}).Owns(&corev1.Secret{}).Complete(&c)
}

// Reconcile implements the interface of controller-runtime.
func (c *crowd) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	service := &corev1.Service{}
	if err := c.Get(ctx, request.NamespacedName, service); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var making sync.WaitGroup
	for _, name := range []string{"d", "b", "e", "a", "c"} {
		named := metav1.ObjectMeta{Namespace: request.Namespace, Name: name}
		making.Go(func() { c.make(ctx, service, &corev1.Secret{ObjectMeta: named}) })
		making.Go(func() { c.make(ctx, service, &corev1.ConfigMap{ObjectMeta: named}) })
	}
	making.Wait()
	return ctrl.Result{}, nil
}

func (c *crowd) make(ctx context.Context, service *corev1.Service, child client.Object) {
	if err := c.Get(ctx, client.ObjectKeyFromObject(child), child); !apierrors.IsNotFound(err) {
		return
	}
	if err := c.Create(ctx, child); err == nil {
		c.events.Eventf(service, nil, corev1.EventTypeNormal, "Made", "Make", "made %T %s", child, child.GetName())
	}
}

// What is sent at the same time has an order that a case can name: in memory it is
// always the same, and on a real API server it does not matter.
func TestWritesAtTheSameTime(t *testing.T) {
	kinds, err := served()
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, kind := range []string{"ConfigMap", "Secret"} {
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			told = append(told, "Normal Made: made *v1."+kind+" "+name)
		}
	}
	test := Case{
		Kinds: kinds, Setup: crowd{}.setup, Given: []client.Object{saying("hello")},
		Want: Want{
			Writes: slices.Concat(slices.Repeat([]string{"create configmaps demo"}, 5), slices.Repeat([]string{"create secrets demo"}, 5)),
			Events: told,
		},
	}
	for range 20 {
		test.Run(t)
	}
	shared := cluster.Shared(t)
	test.RunOn(t, shared.Config(), shared.Namespace(t))
}
