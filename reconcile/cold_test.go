package reconcile_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// BenchmarkColdCreate measures the first pass over an object with ten independent
// children, each of which an API server that answers after 5 ms creates: how many
// round trips it takes, at least, in the shortest of the passes. In sequence it takes
// ten.
func BenchmarkColdCreate(b *testing.B) {
	const children, latency = 10, 5 * time.Millisecond
	steps := make([]reconcile.Step[app], children)
	nodes := make([]*reconcile.Node[app], children)
	for i := range steps {
		name := fmt.Sprintf("config-%d", i)
		steps[i] = resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
			return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name + name}, Data: map[string]string{"image": app.Spec.Image}}, nil
		}).Named(name)
		nodes[i] = reconcile.At(name, steps[i])
	}
	for name, step := range map[string]reconcile.Step[app]{
		"Parallel": reconcile.Parallel(steps...), "Graph": reconcile.Graph(nodes...), "Sequence": reconcile.Sequence(steps...),
	} {
		b.Run(name, func(b *testing.B) {
			object := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", UID: "uid"}, Spec: v1.MyAppSpec{Image: "img:1"}}
			var created atomic.Int64
			server := fake.NewClientBuilder().WithScheme(scheme(b)).WithObjects(object).WithInterceptorFuncs(interceptor.Funcs{
				Patch: func(_ context.Context, _ client.WithWatch, object client.Object, _ client.Patch, _ ...client.PatchOption) error {
					<-time.After(latency)
					object.SetUID(types.UID(fmt.Sprint(created.Add(1))))
					object.SetResourceVersion("1")
					return nil
				},
			}).Build()
			var least time.Duration
			passes := 0
			for b.Loop() {
				pipeline := reconcile.NewPipeline("cold", step) // which remembers nothing
				if err := pipeline.Setup(reconcile.Environment{Client: server}); err != nil {
					b.Fatal(err)
				}
				began := time.Now()
				_, err := pipeline.Reconcile(b.Context(), requestFor(object))
				took := time.Since(began)
				if passes++; err != nil || created.Load() != int64(passes*children) {
					b.Fatalf("%d created in %d passes, %v", created.Load(), passes, err)
				}
				if least == 0 || took < least {
					least = took
				}
			}
			b.ReportMetric(float64(least)/float64(latency), "round-trips")
		})
	}
}
