package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/cluster"

	"github.com/trueup-dev/trueup/reconcile"
)

// says returns a step that says its name, forward and backward.
func says(name string) *reconcile.FuncStep[*corev1.ConfigMap] {
	return reconcile.Func(name, func(context.Context, *reconcile.Run[*corev1.ConfigMap]) (reconcile.Result, error) {
		fmt.Println(name)
		return reconcile.Continue, nil
	}).Undo(func(context.Context, *reconcile.Run[*corev1.ConfigMap]) (reconcile.Result, error) {
		fmt.Println("undo", name)
		return reconcile.Continue, nil
	})
}

// waits returns a step that waits for what never comes.
func waits(name string) *reconcile.FuncStep[*corev1.ConfigMap] {
	return reconcile.Func(name, func(context.Context, *reconcile.Run[*corev1.ConfigMap]) (reconcile.Result, error) {
		return reconcile.Wait("NotReady", name+" is not ready"), nil
	})
}

// exampleRun starts a pass over an object of the given data.
func exampleRun(data map[string]string) *reconcile.Run[*corev1.ConfigMap] {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "web", Generation: 1}, Data: data}
	run, err := reconcile.NewRun(exampleEnvironment, "example", object)
	if err != nil {
		panic(err)
	}
	return run
}

var exampleEnvironment = reconcile.Environment{Client: fake.NewClientBuilder().Build(), Memory: reconcile.NewMemory()}

// do runs a step and prints what came of it.
func do(data map[string]string, step reconcile.Step[*corev1.ConfigMap]) {
	result, err := exampleRun(data).Do(context.Background(), step)
	fmt.Println(result, err)
}

func ExampleSequence() {
	do(nil, reconcile.Sequence(says("a"), waits("b"), says("c")))
	// Output:
	// a
	// Wait(NotReady: b is not ready) <nil>
}

func ExampleAll() {
	do(nil, reconcile.All(says("a"), waits("b"), says("c")))
	// Output:
	// a
	// c
	// Wait(NotReady: b is not ready) <nil>
}

func ExampleParallel() {
	do(nil, reconcile.Parallel(says("a"), says("b"), waits("c")))
	// Unordered output:
	// b
	// a
	// Wait(NotReady: c is not ready) <nil>
}

// What is after the step that waits is held up, and nothing else.
func ExampleGraph() {
	graph := reconcile.Graph(
		reconcile.At("web", says("web")).After("config"),
		reconcile.At("config", says("config")),
		reconcile.At("database", waits("database")),
		reconcile.At("backup", says("backup")).After("database"),
	)
	do(nil, graph)

	_, err := reconcile.Graph(reconcile.At("web", says("web")).After("confg")).Finalize(context.Background(), exampleRun(nil))
	fmt.Println(err)
	// Output:
	// config
	// web
	// Wait(NotReady: database is not ready) <nil>
	// node "web" is after "confg", which is not in the graph
}

type exampleObject = *corev1.ConfigMap

// What has turned false is undone, the last first.
func ExampleWhen() {
	exposed := reconcile.When(func(o exampleObject) bool { return o.Data["exposed"] == "yes" }, says("service"), says("ingress"))
	do(map[string]string{"exposed": "yes"}, exposed)
	do(nil, exposed)
	// Output:
	// service
	// ingress
	// Continue <nil>
	// undo ingress
	// undo service
	// Continue <nil>
}

func ExampleSwitch() {
	mode := reconcile.Switch(func(o exampleObject) string { return o.Data["mode"] },
		reconcile.Case("single", says("deployment")),
		reconcile.Case("cluster", says("config"), says("statefulset")),
	)
	do(map[string]string{"mode": "single"}, mode)
	do(map[string]string{"mode": "cluster"}, mode)
	// Output:
	// undo statefulset
	// undo config
	// deployment
	// Continue <nil>
	// undo deployment
	// config
	// statefulset
	// Continue <nil>
}

// fails returns a step that fails so many times.
func fails(name string, times int) *reconcile.FuncStep[exampleObject] {
	return reconcile.Func(name, func(context.Context, *reconcile.Run[exampleObject]) (reconcile.Result, error) {
		if times--; times >= 0 {
			return reconcile.Result{}, errors.New("connection refused")
		}
		fmt.Println(name)
		return reconcile.Continue, nil
	})
}

func ExampleRetry() {
	do(nil, reconcile.Retry(3, time.Millisecond, fails("register", 2)))
	do(nil, reconcile.Retry(3, time.Millisecond, fails("notify", 9)))
	// Output:
	// register
	// Continue <nil>
	// Continue step notify: connection refused
}

func ExampleTimeout() {
	slow := reconcile.Func("slow", func(ctx context.Context, _ *reconcile.Run[exampleObject]) (reconcile.Result, error) {
		<-ctx.Done()
		return reconcile.Result{}, ctx.Err()
	})
	do(nil, reconcile.Timeout(time.Millisecond, slow))
	// Output:
	// Continue step slow: not done within 1ms: context deadline exceeded
}

func ExampleCatch() {
	do(nil, reconcile.Catch(fails("register", 1), func(_ context.Context, _ *reconcile.Run[exampleObject], err error) (reconcile.Result, error) {
		return reconcile.Wait("Unreachable", err.Error()).After(time.Minute), nil
	}))
	// Output:
	// Wait(Unreachable: connection refused) after 1m0s <nil>
}

func ExampleFinally() {
	do(nil, reconcile.Finally(fails("register", 1), func(context.Context, *reconcile.Run[exampleObject], reconcile.Result, error) error {
		fmt.Println("hang up")
		return nil
	}))
	// Output:
	// hang up
	// Continue step register: connection refused
}

// What is around a step is called in its place; the step stays what it was.
func ExampleWrap() {
	logged := reconcile.Wrap(says("deployment"),
		func(ctx context.Context, run *reconcile.Run[exampleObject], next reconcile.Action[exampleObject]) (reconcile.Result, error) {
			fmt.Println("begin")
			defer fmt.Println("end")
			return next(ctx, run)
		})
	do(nil, logged)
	fmt.Println(logged.Describe().Name)
	// Output:
	// begin
	// deployment
	// end
	// Continue <nil>
	// deployment
}

// All passes are over an object of generation 1.
func ExampleOnce() {
	migrate := reconcile.Once(says("migrate"))
	do(nil, migrate)
	do(nil, migrate)
	// Output:
	// migrate
	// Continue <nil>
	// Continue <nil>
}

// The record of items is written to the object, so that ForEach needs a pipeline.
func ExampleForEach() {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "web"}, Data: map[string]string{"a": "", "b": ""}}
	server := fake.NewClientBuilder().WithObjects(object).Build()
	item := reconcile.Func("item", func(_ context.Context, run *reconcile.Run[exampleObject]) (reconcile.Result, error) {
		fmt.Println("make", run.Item())
		return reconcile.Continue, nil
	}).Undo(func(_ context.Context, run *reconcile.Run[exampleObject]) (reconcile.Result, error) {
		fmt.Println("undo", run.Item())
		return reconcile.Continue, nil
	})
	pass := func() {
		items := func(o exampleObject) []string { return slices.Collect(maps.Keys(o.Data)) }
		pipeline := reconcile.NewPipeline("example", reconcile.ForEach("items", items, item).Limit(1)) // a new process
		if err := pipeline.Setup(reconcile.Environment{Client: server}); err != nil {
			panic(err)
		}
		result, err := pipeline.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(object)})
		_ = server.Get(context.Background(), client.ObjectKeyFromObject(object), object)
		fmt.Println(result.IsZero(), err, object.Annotations)
	}
	pass()
	delete(object.Data, "a")
	_ = server.Update(context.Background(), object)
	pass()
	// Output:
	// make a
	// make b
	// true <nil> map[items.trueup.dev/example.items:["a","b"]]
	// undo a
	// make b
	// true <nil> map[items.trueup.dev/example.items:["b"]]
}

// As sends the requests of steps as another user, and Elsewhere to another cluster.
func ExampleIn() {
	release := func(home cluster.Cluster) reconcile.Step[exampleObject] {
		tenant := reconcile.As(home, rest.ImpersonationConfig{UserName: "system:serviceaccount:team-a:deployer"})
		return reconcile.In[exampleObject](tenant, says("deployment"), says("service"))
	}
	fmt.Println(release(nil).Describe().Err)
	// Output:
	// system:serviceaccount:team-a:deployer: As: a cluster and the name of a user are needed
}
