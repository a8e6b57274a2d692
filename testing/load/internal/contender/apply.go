package contender

import (
	"context"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
)

// applyAll keeps children by applying each of them in every pass, and leaves it
// to the server to find that nothing has changed.
type applyAll struct{ client client.Client }

func newApply(mgr ctrl.Manager) (ctrlreconcile.Reconciler, *reconcile.Memory, error) {
	return &handwritten{
		client: mgr.GetClient(), zone: newZone(), children: applyAll{mgr.GetClient()},
	}, nil, nil
}

func (a applyAll) deployment(ctx context.Context, app *v1.MyApp) (*appsv1.Deployment, error) {
	d, err := desiredDeployment(app)
	if err != nil {
		return nil, err
	}
	d.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	return d, a.apply(ctx, app, d)
}

func (a applyAll) service(ctx context.Context, app *v1.MyApp) error {
	s, err := desiredService(app)
	if err != nil {
		return err
	}
	s.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Service"))
	return a.apply(ctx, app, s)
}

// apply sends the child and makes it what the server answers.
func (a applyAll) apply(ctx context.Context, app *v1.MyApp, child client.Object) error {
	kind := child.GetObjectKind().GroupVersionKind().Kind
	child.SetNamespace(app.Namespace)
	if err := controllerutil.SetControllerReference(app, child, a.client.Scheme()); err != nil {
		return fmt.Errorf("own %s %s: %w", kind, client.ObjectKeyFromObject(child), err)
	}
	body, err := json.Marshal(child)
	if err != nil {
		return fmt.Errorf("build %s %s: %w", kind, client.ObjectKeyFromObject(child), err)
	}
	err = a.client.Patch(ctx, child, client.RawPatch(types.ApplyPatchType, body),
		client.FieldOwner("load"), client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("apply %s %s: %w", kind, client.ObjectKeyFromObject(child), err)
	}
	return nil
}
