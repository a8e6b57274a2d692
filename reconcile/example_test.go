package reconcile_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

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
	do(nil, reconcile.Sequence[*corev1.ConfigMap](says("a"), waits("b"), says("c")))
	// Output:
	// a
	// Wait(NotReady: b is not ready) <nil>
}

func ExampleAll() {
	do(nil, reconcile.All[*corev1.ConfigMap](says("a"), waits("b"), says("c")))
	// Output:
	// a
	// c
	// Wait(NotReady: b is not ready) <nil>
}

func ExampleParallel() {
	do(nil, reconcile.Parallel[*corev1.ConfigMap](says("a"), says("b"), waits("c")))
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
