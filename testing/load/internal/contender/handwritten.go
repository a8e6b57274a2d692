package contender

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// handwritten is a Reconcile as careful authors write it: it reads from the
// cache, keeps a finalizer, goes on to the Service when the Deployment fails,
// and writes the status once, whatever came of the children, and only when it
// differs. How it keeps the children is what tells the loops apart.
type handwritten struct {
	client   client.Client
	zone     *zone
	children children
}

// children keeps the children of a MyApp, and returns the Deployment as it is
// then.
type children interface {
	deployment(context.Context, *v1.MyApp) (*appsv1.Deployment, error)
	service(context.Context, *v1.MyApp) error
}

// Reconcile makes a pass.
func (h *handwritten) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	app := &v1.MyApp{}
	if err := h.client.Get(ctx, req.NamespacedName, app); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !app.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, h.release(ctx, app)
	}
	if err := h.hold(ctx, app); err != nil {
		return ctrl.Result{}, err
	}
	h.zone.register(app)
	before := app.Status.DeepCopy()
	deployment, deploymentErr := h.children.deployment(ctx, app)
	serviceErr := h.children.service(ctx, app)
	report(app, deployment, deploymentErr, serviceErr)
	return ctrl.Result{}, errors.Join(deploymentErr, serviceErr, h.persist(ctx, app, before))
}

// hold puts the finalizer on.
func (h *handwritten) hold(ctx context.Context, app *v1.MyApp) error {
	before := app.DeepCopy()
	if !controllerutil.AddFinalizer(app, finalizerName) {
		return nil
	}
	if err := h.client.Patch(ctx, app, locked(before)); err != nil {
		return fmt.Errorf("add finalizer to MyApp %s: %w", client.ObjectKeyFromObject(app), err)
	}
	return nil
}

// release undoes what is outside of the cluster and takes the finalizer off.
func (h *handwritten) release(ctx context.Context, app *v1.MyApp) error {
	h.zone.release(app)
	before := app.DeepCopy()
	if !controllerutil.RemoveFinalizer(app, finalizerName) {
		return nil
	}
	if err := client.IgnoreNotFound(h.client.Patch(ctx, app, locked(before))); err != nil {
		return fmt.Errorf("remove finalizer from MyApp %s: %w", client.ObjectKeyFromObject(app), err)
	}
	return nil
}

// persist writes the status if it is not what it was.
func (h *handwritten) persist(ctx context.Context, app *v1.MyApp, before *v1.MyAppStatus) error {
	if equality.Semantic.DeepEqual(before, &app.Status) {
		return nil
	}
	if err := h.client.Status().Update(ctx, app); err != nil {
		return fmt.Errorf("write status of MyApp %s: %w", client.ObjectKeyFromObject(app), err)
	}
	return nil
}

// locked is a patch that conflicts if somebody else has written since.
func locked(before client.Object) client.Patch {
	return client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
}
