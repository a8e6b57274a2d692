package reconcile_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// guarded is a step with a finalizer.
type guarded struct {
	reconcile.Step[app]
	finalizer string
}

func (g guarded) Describe() reconcile.Description {
	about := g.Step.Describe()
	about.Finalizers = []string{g.finalizer}
	return about
}

// reporter is a step that only computes status.
type reporter struct {
	name    string
	compute func(appRun) (reconcile.Result, error)
}

func (r reporter) Describe() reconcile.Description {
	return reconcile.Description{Name: r.name, Kind: "reporter", Reporting: true}
}
func (r reporter) Reconcile(_ context.Context, run appRun) (reconcile.Result, error) {
	return r.compute(run)
}
func (r reporter) Finalize(context.Context, appRun) (reconcile.Result, error) {
	return reconcile.Continue, nil
}

func countReplicas(n int32) reconcile.Step[app] {
	return reporter{name: "count", compute: func(run appRun) (reconcile.Result, error) {
		run.Object().Status.Replicas = n
		return reconcile.Continue, nil
	}}
}

// scripted is a step that returns what it is told to and notes its calls.
type scripted struct {
	calls   []string
	forward func(appRun) (reconcile.Result, error)
	back    func(appRun) (reconcile.Result, error)
}

func (s *scripted) step(name string) reconcile.Step[app] {
	return reconcile.Func(name, func(_ context.Context, run appRun) (reconcile.Result, error) {
		s.calls = append(s.calls, name)
		if s.forward == nil {
			return reconcile.Continue, nil
		}
		return s.forward(run)
	}).Undo(func(_ context.Context, run appRun) (reconcile.Result, error) {
		s.calls = append(s.calls, "undo "+name)
		if s.back == nil {
			return reconcile.Continue, nil
		}
		return s.back(run)
	})
}

// pipelineBench runs a pipeline by hand over one MyApp on the real API server.
type pipelineBench struct {
	*testing.T
	*steptest.Live
	pipeline *reconcile.Pipeline[app]
	steps    []reconcile.Step[app]
	app      *v1.MyApp
}

func newPipelineBench(t *testing.T, steps ...reconcile.Step[app]) *pipelineBench {
	t.Helper()
	shared := cluster.Shared(t)
	namespace := shared.Namespace(t)
	b := &pipelineBench{T: t, steps: steps, pipeline: reconcile.NewPipeline("test", steps...)}
	b.Live = steptest.StartLive(t, shared.Config(), scheme(t), []string{namespace}, "test", steps...)
	if err := b.pipeline.Setup(b.Environment); err != nil {
		t.Fatal(err)
	}
	b.app = &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	if err := b.User.Create(t.Context(), b.app); err != nil {
		t.Fatal(err)
	}
	b.caughtUp()
	t.Cleanup(func() { // so that the namespace can go
		live := b.app.DeepCopy()
		if b.User.Get(context.Background(), client.ObjectKeyFromObject(live), live) == nil {
			live.Finalizers = nil
			_ = b.User.Update(context.Background(), live)
		}
	})
	return b
}

// at starts the pipeline anew with a clock.
func (b *pipelineBench) at(clock clock.PassiveClock) {
	b.Helper()
	b.Environment.Clock = clock
	b.pipeline = reconcile.NewPipeline("test", b.steps...)
	if err := b.pipeline.Setup(b.Environment); err != nil {
		b.Fatal(err)
	}
}

func (b *pipelineBench) pass() (ctrl.Result, error) {
	return b.pipeline.Reconcile(b.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(b.app)})
}

func (b *pipelineBench) want(reason string) {
	b.Helper()
	if result, err := b.pass(); err != nil || !result.IsZero() {
		b.Fatalf("%s: %v, %v", reason, result, err)
	}
}

// caughtUp waits until the cache has what the server has.
func (b *pipelineBench) caughtUp() {
	b.Helper()
	b.CaughtUp(b.T, b.app)
}

func (b *pipelineBench) live() *v1.MyApp {
	b.Helper()
	live := &v1.MyApp{}
	if err := b.User.Get(b.Context(), client.ObjectKeyFromObject(b.app), live); err != nil {
		b.Fatal(err)
	}
	return live
}

func (b *pipelineBench) wrote(reason string, want ...string) {
	b.Helper()
	var got []string
	for _, request := range b.Requests.Writes() {
		got = append(got, request.Verb+" "+request.Resource)
	}
	b.Requests.Reset()
	if diff := cmp.Diff(want, got); diff != "" {
		b.Errorf("%s: writes (-want +got):\n%s", reason, diff)
	}
}

// quiet checks that further passes send and tell nothing.
func (b *pipelineBench) quiet() {
	b.Helper()
	b.caughtUp()
	b.Requests.Reset()
	b.Events.Reset()
	for range 2 {
		_, _ = b.pass()
	}
	if diff := cmp.Diff([]steptest.Request(nil), b.Requests.All()); diff != "" {
		b.Errorf("a quiet pass sent (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string(nil), b.Events.All()); diff != "" {
		b.Errorf("a quiet pass told (-want +got):\n%s", diff)
	}
}

// behind returns the bench with its cache frozen as it is now.
func (b *pipelineBench) behind() *pipelineBench {
	b.Helper()
	frozen := &v1.MyApp{}
	if err := b.Environment.Cache.Get(b.Context(), client.ObjectKeyFromObject(b.app), frozen); err != nil {
		b.Fatal(err)
	}
	env := b.Environment
	env.Client = &frozenClient{Client: env.Client, frozen: frozen}
	env.Memory = reconcile.NewMemory()
	next := *b
	next.pipeline = reconcile.NewPipeline("test", b.steps...)
	next.Live = &steptest.Live{Environment: env, Requests: b.Requests, Events: b.Events, User: b.User}
	if err := next.pipeline.Setup(env); err != nil {
		b.Fatal(err)
	}
	return &next
}

// frozenClient reads the one object as it once was.
type frozenClient struct {
	client.Client
	frozen *v1.MyApp
}

func (f *frozenClient) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	if out, ok := into.(*v1.MyApp); ok && key == client.ObjectKeyFromObject(f.frozen) {
		f.frozen.DeepCopyInto(out)
		return nil
	}
	return f.Client.Get(ctx, key, into, options...)
}

func nothing(context.Context, appRun) (reconcile.Result, error) { return reconcile.Continue, nil }
