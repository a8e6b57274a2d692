package tracing_test

import (
	"context"
	"fmt"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/reconcile/tracing"
)

// A pass is a span, and each of its steps is one under it.
func Example() {
	exporter := tracetest.NewInMemoryExporter() // yours sends them somewhere
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))

	step := reconcile.Func("dns", func(context.Context, *reconcile.Run[*corev1.ConfigMap]) (reconcile.Result, error) {
		return reconcile.Wait("Pending", "the zone is not ready"), nil
	})
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "web"}}
	pipeline := reconcile.NewPipeline("example", step).Trace(tracing.New(provider))
	if err := pipeline.Setup(reconcile.Environment{Client: fake.NewClientBuilder().WithObjects(object).Build()}); err != nil {
		panic(err)
	}
	_, err := pipeline.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(object)})
	for _, line := range tree(exporter) {
		fmt.Println(line)
	}
	fmt.Println(err)
	// Output:
	// pass example Wait Pending
	//   step dns Wait Pending
	// <nil>
}
