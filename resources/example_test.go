package resources_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// config is a step: every MyApp has a ConfigMap with its image.
var config = resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name + "-config"},
		Data:       map[string]string{"image": app.Spec.Image},
	}, nil
})

// Existing is somebody's handwritten reconciler, which starts to use steps.
type Existing struct {
	// Environment is reconcile.EnvironmentOf(mgr, "existing"), made at setup.
	Environment reconcile.Environment
}

// Reconcile does what it always did, and one step.
func (r *Existing) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	app := &v1.MyApp{}
	if err := r.Environment.Client.Get(ctx, req.NamespacedName, app); err != nil {
		if apierrors.IsNotFound(err) {
			r.Environment.Memory.Forget(req.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !app.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, nil // steps do not run on what is being deleted
	}
	// … what was here before …
	run, err := reconcile.NewRun(r.Environment, "existing", app)
	if err != nil {
		return ctrl.Result{}, err
	}
	return reconcile.Return(run.Do(ctx, config))
}

// A step in a reconciler that somebody has already.
func ExampleEnsure() {
	scheme := runtime.NewScheme()
	_ = clientgoscheme.AddToScheme(scheme)
	_ = v1.AddToScheme(scheme)
	app := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", UID: "1"},
		Spec:       v1.MyAppSpec{Image: "img:1"},
	}
	cluster := fake.NewClientBuilder().WithScheme(scheme).WithObjects(app).WithReturnManagedFields().Build()
	reconciler := &Existing{Environment: reconcile.Environment{Client: cluster, Memory: reconcile.NewMemory()}}

	ctx := context.Background()
	result, err := reconciler.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(app)})
	fmt.Println(result.IsZero(), err)

	child := &corev1.ConfigMap{}
	err = cluster.Get(ctx, client.ObjectKey{Namespace: "demo", Name: "web-config"}, child)
	fmt.Println(child.Data, metav1.GetControllerOf(child).Name, err)
	// Output:
	// true <nil>
	// map[image:img:1] web <nil>
}
