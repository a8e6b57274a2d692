package finalizer_test

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/steptest"
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

// A release that never succeeds holds the object for an hour and no longer.
func ExampleWithin() {
	zone := finalizer.Func("apps.example.com/dns",
		func(context.Context, *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
			return reconcile.Wait("ZoneLocked", "the zone is locked").After(time.Minute), nil
		})
	pipeline := reconcile.NewPipeline("myapp", finalizer.Within(time.Hour, zone).LetGo())

	app, c := exampleApp()
	clock := clocktesting.NewFakePassiveClock(time.Now())
	events := &steptest.Events{}
	if err := pipeline.Setup(reconcile.Environment{Client: c, Clock: clock, Recorder: events}); err != nil {
		fmt.Println(err)
		return
	}
	pass := func() {
		_, err := pipeline.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(app)})
		gone := apierrors.IsNotFound(c.Get(context.Background(), client.ObjectKeyFromObject(app), app))
		fmt.Println("gone:", gone, err)
	}
	pass()
	_ = c.Delete(context.Background(), app)
	pass()
	clock.SetTime(time.Now().Add(time.Hour))
	pass()
	fmt.Println(events.All())
	// Output:
	// gone: false <nil>
	// gone: false <nil>
	// gone: true <nil>
	// [Warning LeftBehind: dns: not undone within 1h0m0s: the zone is locked; it is left behind]
}
