package resources_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
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

// Two owners hold a key each of one ConfigMap. The part of one goes with it.
func ExampleChild_Share() {
	scheme := runtime.NewScheme()
	_ = clientgoscheme.AddToScheme(scheme)
	_ = v1.AddToScheme(scheme)
	cluster := fake.NewClientBuilder().WithScheme(scheme).WithReturnManagedFields().Build()
	pipeline := reconcile.NewPipeline("myapp",
		resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
			return &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: "catalogue"},
				Data:       map[string]string{app.Name: app.Spec.Image},
			}, nil
		}).Share("apps.example.com/catalogue"),
	)
	if err := pipeline.Setup(reconcile.Environment{Client: cluster}); err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	reconcileAll := func() {
		for _, name := range []string{"api", "web"} {
			request := ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "demo", Name: name}}
			if _, err := pipeline.Reconcile(ctx, request); err != nil {
				fmt.Println(err)
			}
		}
		catalogue := &corev1.ConfigMap{}
		err := cluster.Get(ctx, client.ObjectKey{Namespace: "demo", Name: "catalogue"}, catalogue)
		fmt.Println(catalogue.Data, err)
	}
	api := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "api", Namespace: "demo", UID: "1"}, Spec: v1.MyAppSpec{Image: "img:1"}}
	web := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", UID: "2"}, Spec: v1.MyAppSpec{Image: "img:2"}}
	_ = cluster.Create(ctx, api)
	_ = cluster.Create(ctx, web)
	reconcileAll()
	_ = cluster.Delete(ctx, api)
	reconcileAll()
	// Output:
	// map[api:img:1 web:img:2] <nil>
	// map[web:img:2] <nil>
}
