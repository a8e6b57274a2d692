package faults_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

const hold = "example.com/records"

// naive is a handwritten reconciler, as one finds them, with one bug or none: it
// keeps a Deployment and a record outside of the cluster for each MyApp.
type naive struct {
	client.Client
	live  client.Reader
	bug   string
	zone  *outside
	known map[string]bool
}

func (n *naive) setup(mgr ctrl.Manager) error {
	n = &naive{Client: mgr.GetClient(), live: mgr.GetAPIReader(), bug: n.bug, zone: n.zone, known: map[string]bool{}}
	build := ctrl.NewControllerManagedBy(mgr).For(&v1.MyApp{})
	if n.bug != unwatchedChildren {
		build.Owns(&appsv1.Deployment{})
	}
	return build.Complete(n)
}

func (n *naive) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	result, err := n.reconcile(ctx, request)
	if n.bug == swallowedErrors {
		return result, nil
	}
	if n.bug == terminalConflicts && apierrors.IsConflict(err) {
		return result, nil
	}
	return result, err
}

func (n *naive) reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	app := &v1.MyApp{}
	reader := n.live
	if n.bug == staleOwner {
		reader = n.Client
	}
	if err := reader.Get(ctx, request.NamespacedName, app); err != nil {
		if apierrors.IsNotFound(err) && n.bug == cleanupInMemory && n.known[request.Name] {
			n.zone.drop(request.Name)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if app.DeletionTimestamp != nil {
		return ctrl.Result{}, n.release(ctx, app)
	}
	if n.bug == effectFirst {
		n.zone.set(app.Name, app.Spec.Image)
	}
	if n.bug != cleanupInMemory && !slices.Contains(app.Finalizers, hold) {
		before := app.DeepCopy()
		app.Finalizers = append(app.Finalizers, hold)
		if err := n.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
			return ctrl.Result{}, err
		}
	}
	n.zone.set(app.Name, app.Spec.Image)
	n.known[app.Name] = true
	child, err := n.child(ctx, app)
	if err != nil {
		return ctrl.Result{}, err
	}
	if n.bug == nilChild && child.Spec.Replicas == nil {
		child = nil
	}
	return ctrl.Result{}, n.tell(ctx, app, child.Status.ReadyReplicas)
}

func (n *naive) release(ctx context.Context, app *v1.MyApp) error {
	if !slices.Contains(app.Finalizers, hold) {
		return nil
	}
	if n.bug == cleanupOnce { // the clean-up wants to know more, and that fails
		if err := n.live.Get(ctx, client.ObjectKeyFromObject(app), &appsv1.Deployment{}); err == nil {
			n.zone.drop(app.Name)
		}
	} else {
		n.zone.drop(app.Name)
	}
	before := app.DeepCopy()
	app.Finalizers = slices.DeleteFunc(app.Finalizers, func(name string) bool { return name == hold })
	return client.IgnoreNotFound(n.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
}

// tell writes the status if it is another.
func (n *naive) tell(ctx context.Context, app *v1.MyApp, ready int32) error {
	before := app.DeepCopy()
	app.Status.ObservedGeneration, app.Status.ReadyReplicas, app.Status.Replicas = app.Generation, ready, 1
	if n.bug == timeInStatus {
		meta.SetStatusCondition(&app.Status.Conditions, metav1.Condition{
			Type: "Seen", Status: metav1.ConditionTrue, Reason: "Seen", Message: fmt.Sprint(time.Now().UnixNano(), app.ResourceVersion),
		})
	} else if app.Status.ObservedGeneration == before.Status.ObservedGeneration &&
		app.Status.ReadyReplicas == before.Status.ReadyReplicas && app.Status.Replicas == before.Status.Replicas {
		return nil
	}
	return n.Status().Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}
