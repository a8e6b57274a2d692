package faults_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/faults"
)

// crowd is a reconciler that makes children of a Service at the same time, and is wrong:
// it takes a child that cannot be made for made.
type crowd struct{ client.Client }

func (c crowd) setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Service{}).Complete(crowd{mgr.GetClient()})
}

// Reconcile implements the interface of controller-runtime.
func (c crowd) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	if err := c.Get(ctx, request.NamespacedName, &corev1.Service{}); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	var making sync.WaitGroup
	var errs [6]error
	for i := range errs {
		place := metav1.ObjectMeta{Namespace: request.Namespace, Name: fmt.Sprint("child-", i)}
		child := client.Object(&corev1.ConfigMap{ObjectMeta: place})
		if i%2 == 0 {
			child = &corev1.Secret{ObjectMeta: place}
		}
		making.Go(func() {
			if errs[i] = c.Get(ctx, client.ObjectKeyFromObject(child), child); !apierrors.IsNotFound(errs[i]) {
				return
			}
			if errs[i] = c.Create(ctx, child); apierrors.IsInternalError(errs[i]) {
				errs[i] = nil
			}
		})
	}
	making.Wait()
	return ctrl.Result{}, errors.Join(errs[:]...)
}

// The same schedule gives the same run also where steps run at the same time.
func TestRunsOfStepsAtTheSameTimeAreTheSameEachTime(t *testing.T) {
	service := &corev1.Service{ObjectMeta: named, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
	sweep := faults.Sweep{Kinds: kinds(t), Given: []client.Object{service}, New: func() faults.Subject {
		return faults.Subject{Setup: crowd{}.setup}
	}}
	first := sweep.Run(t)
	if len(first.Violations) == 0 {
		t.Fatalf("nothing is found: %s", first)
	}
	for range 5 {
		if diff := cmp.Diff(first.Violations, sweep.Run(t).Violations); diff != "" {
			t.Fatalf("another time (-first +now):\n%s", diff)
		}
	}
}
