package faults_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/trueup-dev/trueup/testing/faults"
)

// shadow is a reconciler without a finalizer: each Service has a ConfigMap, which the
// garbage collector deletes with it. It reads its cache, as is usual, and is right.
type shadow struct{ client.Client }

func (s shadow) setup(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Service{}).Owns(&corev1.ConfigMap{}).Complete(shadow{mgr.GetClient()})
}

// Reconcile implements the interface of controller-runtime.
func (s shadow) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	service, child := &corev1.Service{}, &corev1.ConfigMap{}
	if err := s.Get(ctx, request.NamespacedName, service); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	err := s.Get(ctx, request.NamespacedName, child)
	if !apierrors.IsNotFound(err) {
		return ctrl.Result{}, err
	}
	child.ObjectMeta = metav1.ObjectMeta{Namespace: request.Namespace, Name: request.Name}
	if err := controllerutil.SetControllerReference(service, child, s.Scheme()); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, s.Create(ctx, child)
}

// A cache that is late about an owner that is gone catches up in the end, also where
// the operator and the garbage collector would go on for ever until it does.
func TestAnOwnerThatGoesEarly(t *testing.T) {
	service := &corev1.Service{ObjectMeta: named, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
	faults.Sweep{
		Kinds:   kinds(t),
		New:     func() faults.Subject { return faults.Subject{Setup: shadow{}.setup} },
		Given:   []client.Object{service},
		Changes: []faults.Change{{Name: "delete", Do: remove(service), Early: true}},
		Pairs:   20,
	}.Check(t)
}
