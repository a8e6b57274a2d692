package reconcile_test

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
)

// uncopied reads one MyApp as a cache does without deep copies. It is for passes
// that ask nothing of the server.
type uncopied struct {
	client.Client
	app *v1.MyApp
}

func (u *uncopied) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	*into.(*v1.MyApp) = *u.app
	return nil
}

// benchmarkPasses measures passes of a pipeline that has nothing to do. The
// first pass of all computes the status that later ones find.
func benchmarkPasses(b *testing.B, steps ...reconcile.Step[app]) {
	b.Helper()
	object := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", UID: "uid", Generation: 1}}
	server := fake.NewClientBuilder().WithScheme(scheme(b)).WithObjects(object).WithStatusSubresource(object).Build()
	request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(object)}
	set := func(c client.Client) *reconcile.Pipeline[app] {
		pipeline := reconcile.NewPipeline("bench", steps...)
		if err := pipeline.Setup(reconcile.Environment{Client: c}); err != nil {
			b.Fatal(err)
		}
		return pipeline
	}
	if _, err := set(server).Reconcile(b.Context(), request); err != nil {
		b.Fatal(err)
	}
	if err := server.Get(b.Context(), request.NamespacedName, object); err != nil {
		b.Fatal(err)
	}
	pipeline := set(&uncopied{Client: server, app: object})
	b.ReportAllocs()
	for b.Loop() {
		if result, err := pipeline.Reconcile(b.Context(), request); err != nil || !result.IsZero() {
			b.Fatal(result, err)
		}
	}
	live := &v1.MyApp{}
	if err := server.Get(b.Context(), request.NamespacedName, live); err != nil || live.ResourceVersion != object.ResourceVersion {
		b.Fatalf("a pass has written something, or: %v", err)
	}
}

// tenSteps are steps that do nothing.
func tenSteps() []reconcile.Step[app] {
	steps := make([]reconcile.Step[app], 10)
	for i := range steps {
		steps[i] = reconcile.Func(fmt.Sprintf("step-%d", i), nothing)
	}
	return steps
}

// BenchmarkOverhead measures what a pipeline costs by itself: a pass without
// steps, one with ten that do nothing, and ten plain calls of their function,
// which the compiler may not do away with.
func BenchmarkOverhead(b *testing.B) {
	b.Run("NoSteps", func(b *testing.B) { benchmarkPasses(b) })
	b.Run("TenSteps", func(b *testing.B) { benchmarkPasses(b, tenSteps()...) })
	b.Run("TenCalls", func(b *testing.B) {
		calls := make([]func(context.Context, appRun) (reconcile.Result, error), 10)
		for i := range calls {
			calls[i] = nothing
		}
		b.ReportAllocs()
		for b.Loop() {
			for _, call := range calls {
				if _, err := call(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkSummarize measures what it adds to ten steps to keep a condition for
// each of them.
func BenchmarkSummarize(b *testing.B) {
	summary := status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions })
	benchmarkPasses(b, append(tenSteps(), summary)...)
}
