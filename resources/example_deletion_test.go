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

// pipelineOver sets a pipeline up over a cluster in memory and returns what makes
// a pass over the app.
func pipelineOver(cluster client.Client, app *v1.MyApp, steps ...reconcile.Step[*v1.MyApp]) func() {
	pipeline := reconcile.NewPipeline("myapp", steps...)
	if err := pipeline.Setup(reconcile.Environment{Client: cluster}); err != nil {
		fmt.Println(err)
	}
	return func() {
		if _, err := pipeline.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(app)}); err != nil {
			fmt.Println(err)
		}
	}
}

func exampleCluster() (*v1.MyApp, client.Client) {
	scheme := runtime.NewScheme()
	_ = clientgoscheme.AddToScheme(scheme)
	_ = v1.AddToScheme(scheme)
	app := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", UID: "1"},
		Spec:       v1.MyAppSpec{Image: "img:1"},
	}
	return app, fake.NewClientBuilder().WithScheme(scheme).WithObjects(app).WithReturnManagedFields().Build()
}

func tell(cluster client.Client, name string) {
	child := &corev1.ConfigMap{}
	err := cluster.Get(context.Background(), client.ObjectKey{Namespace: "demo", Name: name}, child)
	fmt.Println(child.Data, "owners:", len(child.OwnerReferences), client.IgnoreNotFound(err))
}

// A child that holds data outlives its owner, for the next one of the name.
func ExampleChild_OnDelete() {
	app, cluster := exampleCluster()
	pass := pipelineOver(cluster, app, resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Data: map[string]string{"of": app.Name}}, nil
	}).OnDelete(resources.Keep).Finalizer("apps.example.com/data"))

	pass()
	tell(cluster, "data")
	_ = cluster.Delete(context.Background(), app)
	pass()
	tell(cluster, "data")
	// Output:
	// map[of:web] owners: 1 <nil>
	// map[of:web] owners: 0 <nil>
}

// The next version of the operator has no ConfigMap, and leaves those that there
// are to whoever uses them.
func ExampleRetire() {
	app, cluster := exampleCluster()
	pipelineOver(cluster, app, config)()
	tell(cluster, "web-config")

	pipelineOver(cluster, app, resources.Retire[*v1.MyApp, *corev1.ConfigMap]("ConfigMap", resources.Orphan))()
	tell(cluster, "web-config")
	// Output:
	// map[image:img:1] owners: 1 <nil>
	// map[image:img:1] owners: 0 <nil>
}
