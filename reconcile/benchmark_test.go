package reconcile_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
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
	pass, check := quietPasses(b, steps...)
	b.ReportAllocs()
	for b.Loop() {
		pass()
	}
	check()
}

// quietPasses returns what makes a pass of a pipeline that has nothing to do, and what
// checks in the end that nothing was written.
func quietPasses(b *testing.B, steps ...reconcile.Step[app]) (pass, check func()) {
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
	pass = func() {
		if result, err := pipeline.Reconcile(b.Context(), request); err != nil || !result.IsZero() {
			b.Fatal(result, err)
		}
	}
	check = func() {
		live := &v1.MyApp{}
		if err := server.Get(b.Context(), request.NamespacedName, live); err != nil || live.ResourceVersion != object.ResourceVersion {
			b.Fatalf("a pass has written something, or: %v", err)
		}
	}
	return pass, check
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
//
// Paired makes them by turns, and tells what each costs when nothing else holds it
// up: the least of many short spells, which a busy machine changes little. Copying
// is what a reconciler costs that does nothing but read the object with a copy of
// its own, as a cache hands it out, and compare its status: that is part of a pass.
func BenchmarkOverhead(b *testing.B) {
	b.Run("Paired", benchmarkPaired)
	b.Run("NoSteps", func(b *testing.B) { benchmarkPasses(b) })
	b.Run("TenSteps", func(b *testing.B) { benchmarkPasses(b, tenSteps()...) })
	b.Run("TenCalls", func(b *testing.B) {
		calls := tenCalls(b)
		b.ReportAllocs()
		for b.Loop() {
			calls()
		}
	})
}

func tenCalls(b *testing.B) func() {
	b.Helper()
	calls := make([]reconcile.Action[app], 10)
	for i := range calls {
		calls[i] = nothing
	}
	return func() {
		for _, call := range calls {
			if _, err := call(b.Context(), nil); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// spell is something that is measured beside something else.
type spell struct {
	name  string
	do    func()
	least time.Duration
}

// pair does things by turns, many times each, and tells what each costs at least,
// and what the first costs more than the second.
func pair(b *testing.B, often int, difference string, spells ...spell) {
	b.Helper()
	for b.Loop() {
		for i := range spells {
			began := time.Now()
			for range often {
				spells[i].do()
			}
			if took := time.Since(began); spells[i].least == 0 || took < spells[i].least {
				spells[i].least = took
			}
		}
	}
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(often) }
	for _, spell := range spells {
		b.ReportMetric(each(spell.least), spell.name+"-ns")
	}
	b.ReportMetric(each(spells[0].least-spells[1].least), difference+"-ns")
}

func benchmarkPaired(b *testing.B) {
	none, noneWrote := quietPasses(b)
	ten, tenWrote := quietPasses(b, tenSteps()...)
	cached := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", UID: "uid", Generation: 1}}
	pair(b, 100, "overhead",
		spell{name: "ten-steps", do: ten}, spell{name: "ten-calls", do: tenCalls(b)}, spell{name: "no-steps", do: none},
		spell{name: "copying", do: func() {
			object := cached.DeepCopy()
			if !equality.Semantic.DeepEqual(object.Status, cached.Status) {
				b.Fatal("a copy differs")
			}
		}})
	noneWrote()
	tenWrote()
}

// BenchmarkSummarize measures what it adds to ten steps to keep a condition for
// each of them.
func BenchmarkSummarize(b *testing.B) {
	summary := status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions })
	benchmarkPasses(b, append(tenSteps(), summary)...)
}
