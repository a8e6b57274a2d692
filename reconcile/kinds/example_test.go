package kinds_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1 "k8s.io/api/core/v1"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/reconcile/kinds"
)

// A step that reads an object of the kind that a ConfigMap names.
func Example() {
	mgr, err := ctrl.NewManager(&rest.Config{Host: "http://127.0.0.1:1"}, ctrl.Options{}) // yours
	if err != nil {
		panic(err)
	}
	watches := kinds.New(mgr, &corev1.ConfigMap{}).Limit(8)
	step := reconcile.Func("part", func(ctx context.Context, run *reconcile.Run[*corev1.ConfigMap]) (reconcile.Result, error) {
		object := run.Object()
		kind := schema.FromAPIVersionAndKind(object.Data["apiVersion"], object.Data["kind"])
		err := watches.Need(ctx, client.ObjectKeyFromObject(object), kind)
		if meta.IsNoMatchError(err) {
			return reconcile.Wait("KindNotInstalled", err.Error()).After(kinds.LookAgain), nil
		}
		if err != nil {
			return reconcile.Result{}, err
		}
		part := &unstructured.Unstructured{}
		part.SetGroupVersionKind(kind)
		return reconcile.Continue, watches.Get(ctx, client.ObjectKeyFromObject(object), part)
	})
	pipeline := reconcile.NewPipeline("example", step)
	fmt.Println(pipeline.SetupWithManager(mgr, func(b *builder.Builder) { b.WatchesRawSource(watches.Source()) }))
	fmt.Println(len(watches.Kinds()), "kinds are watched before an object names one")
	// Output:
	// <nil>
	// 0 kinds are watched before an object names one
}
