package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trueup-dev/trueup/reconcile"
)

var (
	exampleConfig  = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "web"}}
	exampleRequest = ctrl.Request{NamespacedName: client.ObjectKeyFromObject(exampleConfig)}
)

// exampleManager returns a manager that is not started, so that nobody has to answer.
func exampleManager() ctrl.Manager {
	mgr, err := ctrl.NewManager(&rest.Config{Host: "http://127.0.0.1:1"}, ctrl.Options{})
	if err != nil {
		panic(err)
	}
	return mgr
}

// One step in a Reconcile that somebody has already.
func ExampleRun_Do() {
	env := reconcile.Environment{Client: fake.NewClientBuilder().WithObjects(exampleConfig).Build(), Memory: reconcile.NewMemory()}
	existing := ctrlreconcile.Func(func(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
		object := &corev1.ConfigMap{}
		if err := env.Client.Get(ctx, req.NamespacedName, object); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
		fmt.Println("what was here before")
		run, err := reconcile.NewRun(env, "existing", object)
		if err != nil {
			return ctrl.Result{}, err
		}
		return reconcile.Return(run.Do(ctx, says("config")))
	})
	fmt.Println(existing.Reconcile(context.Background(), exampleRequest))
	// Output:
	// what was here before
	// config
	// {false 0s <nil>} <nil>
}

// A whole pipeline in a Reconcile that somebody has already, and in the controller
// that is built for it.
func ExamplePipeline_SetupWithBuilder() {
	mgr := exampleManager()
	pipeline := reconcile.NewPipeline("part", says("config"))
	existing := ctrlreconcile.Func(func(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
		// … what was here before …
		return pipeline.Reconcile(ctx, req)
	})
	build := ctrl.NewControllerManagedBy(mgr).Named("existing").For(&corev1.ConfigMap{})
	fmt.Println(pipeline.SetupWithBuilder(mgr, build))
	fmt.Println(build.Complete(existing))
	// Output:
	// <nil>
	// <nil>
}

// What controller-runtime offers to a controller is there for that of a pipeline.
func ExamplePipeline_SetupWithManager() {
	err := reconcile.NewPipeline("tuned", says("config")).SetupWithManager(exampleManager(), func(b *builder.Builder) {
		b.WithOptions(controller.Options{
			MaxConcurrentReconciles: 8,
			ReconciliationTimeout:   time.Minute,
			UsePriorityQueue:        ptr.To(true),
			EnableWarmup:            ptr.To(true),
		})
		b.WithEventFilter(predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetLabels()["ignored"] == "" }))
	})
	fmt.Println(err)
	// Output:
	// <nil>
}

// Several pipelines, and what is handwritten, in one controller.
func ExampleSeveral() {
	env := reconcile.Environment{Client: fake.NewClientBuilder().WithObjects(exampleConfig).Build()}
	web := reconcile.NewPipeline("web", reconcile.All(says("deployment"), fails("service", 1)))
	database := reconcile.NewPipeline("database", says("schema"))
	if err := errors.Join(web.Setup(env), database.Setup(env)); err != nil { // SetupWithBuilder with a manager
		panic(err)
	}
	handwritten := ctrlreconcile.Func(func(context.Context, ctrl.Request) (ctrl.Result, error) {
		fmt.Println("by hand")
		return ctrl.Result{RequeueAfter: time.Minute}, nil
	})
	all := reconcile.Several(web, database, handwritten)
	for range 2 {
		result, err := all.Reconcile(context.Background(), exampleRequest)
		fmt.Println(result.RequeueAfter, err)
	}
	// Output:
	// deployment
	// schema
	// by hand
	// 0s pipeline web: step service: connection refused (asked to run again after 1m0s)
	// deployment
	// service
	// schema
	// by hand
	// 1m0s <nil>
}
