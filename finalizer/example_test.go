package finalizer_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
)

// A record in a zone that chooses its own ids is made once, found again and
// released, whatever happens in between.
func ExampleExternal() {
	zone := newRegistry()
	record := finalizer.External("apps.example.com/dns", zone)
	pipeline := reconcile.NewPipeline("myapp", record, reconcile.Func("told",
		func(_ context.Context, run *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
			thing, _ := record.Observed(run)
			fmt.Printf("%s points to %s\n", thing.ID, thing.State)
			return reconcile.Continue, nil
		}))

	app, c := exampleApp()
	if err := pipeline.Setup(reconcile.Environment{Client: c}); err != nil {
		fmt.Println(err)
		return
	}
	pass := func() {
		if _, err := pipeline.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(app)}); err != nil {
			fmt.Println(err)
		}
		fmt.Println(zone.took())
	}
	pass()
	_ = c.Delete(context.Background(), app)
	pass()
	// Output:
	// z-1 points to img:1
	// [observe create observe]
	// [observe delete observe]
}

// exampleApp returns an app, and a client of a cluster that has it.
func exampleApp() (*v1.MyApp, client.Client) {
	scheme := runtime.NewScheme()
	_ = v1.AddToScheme(scheme)
	app := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", UID: types.UID("u1")},
		Spec:       v1.MyAppSpec{Image: "img:1"},
	}
	return app, fake.NewClientBuilder().WithScheme(scheme).WithObjects(app).WithStatusSubresource(app).Build()
}
