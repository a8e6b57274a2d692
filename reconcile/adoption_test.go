package reconcile_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// adopted is a controller that a test builds by hand, on the real API server.
type adopted struct {
	*testing.T
	mgr      ctrl.Manager
	requests *steptest.Requests
	user     client.Client
	app      *v1.MyApp
}

func newAdopted(t *testing.T) *adopted {
	t.Helper()
	shared := cluster.Shared(t)
	namespace := shared.Namespace(t)
	a := &adopted{T: t, requests: &steptest.Requests{}}
	a.mgr = steptest.NewManager(t, a.requests.Attach(shared.Config()), scheme(t), namespace)
	var err error
	if a.user, err = client.New(shared.Config(), client.Options{Scheme: scheme(t)}); err != nil {
		t.Fatal(err)
	}
	a.app = &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	return a
}

// run starts the controller and makes the app.
func (a *adopted) run(build *builder.Builder, reconciler ctrlreconcile.Reconciler) {
	a.Helper()
	if err := build.Complete(reconciler); err != nil {
		a.Fatal(err)
	}
	steptest.StartManager(a.T, a.mgr)
	if err := a.user.Create(a.Context(), a.app); err != nil {
		a.Fatal(err)
	}
}

// data waits until the ConfigMap has the data; nil for none.
func (a *adopted) data(reason string, want map[string]string) {
	a.Helper()
	var got map[string]string
	err := wait.PollUntilContextTimeout(a.Context(), 20*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		config := &corev1.ConfigMap{}
		err := a.user.Get(ctx, client.ObjectKeyFromObject(a.app), config)
		got = config.Data
		return cmp.Equal(want, got) && (want != nil) == (err == nil), client.IgnoreNotFound(err)
	})
	if err != nil {
		a.Fatalf("%s: %v; data (-want +got):\n%s", reason, err, cmp.Diff(want, got))
	}
}

func (a *adopted) patch(object client.Object, change string) {
	a.Helper()
	if err := a.user.Patch(a.Context(), object, client.RawPatch(types.MergePatchType, []byte(change))); err != nil {
		a.Fatal(err)
	}
}

func (a *adopted) config() *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: a.app.Namespace, Name: a.app.Name}}
}

// A handwritten Reconcile that calls a whole pipeline: what the steps own, and what
// they only read, wakes the controller that was built by hand.
func TestAPipelineInsideAHandwrittenReconcile(t *testing.T) {
	a := newAdopted(t)
	secret := resources.Reference(func(app *v1.MyApp) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: app.Name}}
	})
	config := resources.EnsureFrom(func(app *v1.MyApp, run appRun) (*corev1.ConfigMap, error) {
		read, _ := secret.Observed(run)
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Data: map[string]string{"key": string(read.Data["key"])}}, nil
	})
	pipeline := reconcile.NewPipeline("inside", secret, config)
	build := ctrl.NewControllerManagedBy(a.mgr).Named("by-hand").For(&v1.MyApp{})
	if err := pipeline.SetupWithBuilder(a.mgr, build); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	byHand := 0
	a.run(build, ctrlreconcile.Func(func(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
		mu.Lock()
		byHand++
		mu.Unlock()
		return pipeline.Reconcile(ctx, req)
	}))
	key := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: a.app.Namespace, Name: "web"}, StringData: map[string]string{"key": "1"}}
	if err := a.user.Create(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	a.data("what is read wakes it", map[string]string{"key": "1"})
	a.patch(a.config(), `{"data":{"key":"other"}}`)
	a.data("what is owned wakes it", map[string]string{"key": "1"})
	a.patch(key, `{"stringData":{"key":"2"}}`)
	a.data("what is read wakes it again", map[string]string{"key": "2"})
	mu.Lock()
	defer mu.Unlock()
	if byHand < 4 {
		t.Errorf("the handwritten part ran %d times", byHand)
	}
	if err := pipeline.SetupWithBuilder(a.mgr, nil); err == nil {
		t.Error("no builder was accepted")
	}
}

// One controller of several pipelines that own parts of one object: each keeps its
// own fields of the ConfigMap and its own conditions of the app, and nothing of the
// other's.
func TestTwoPipelinesOfOneControllerOwnPartsOfOneObject(t *testing.T) {
	a := newAdopted(t)
	summary := func() *status.Summary[app] {
		return status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions })
	}
	whole := reconcile.NewPipeline("whole", ownConfig(""), summary().Including("ExtraReady"))
	extra := reconcile.NewPipeline("extra", resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		data := map[string]string{"extra": "x"}
		if app.Spec.Image == "img:1" {
			data["only"] = "first"
		}
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Data: data}, nil
	}).Share(ourFinalizer), summary().As("ExtraReady"))
	build := ctrl.NewControllerManagedBy(a.mgr).Named("several").For(&v1.MyApp{})
	if err := errors.Join(whole.SetupWithBuilder(a.mgr, build), extra.SetupWithBuilder(a.mgr, build)); err != nil {
		t.Fatal(err)
	}
	a.run(build, reconcile.Several(whole, extra))

	a.data("both have their part", map[string]string{"image": "img:1", "extra": "x", "only": "first"})
	a.patch(a.app, `{"spec":{"image":"img:2"}}`)
	a.data("what one does not set any more goes, the other's stays", map[string]string{"image": "img:2", "extra": "x"})
	a.patch(a.config(), `{"data":{"image":null,"extra":"other","theirs":"stays"}}`)
	a.data("each repairs its own", map[string]string{"image": "img:2", "extra": "x", "theirs": "stays"})
	a.settles("Ready=True", "ExtraReady=True")
	a.quiet()
	if err := a.user.Delete(t.Context(), a.app); err != nil {
		t.Fatal(err)
	}
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		err := a.user.Get(ctx, client.ObjectKeyFromObject(a.app), &v1.MyApp{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	if err != nil {
		t.Errorf("the app is held: %v", err)
	}
}

// settles waits until the app has the conditions at its generation.
func (a *adopted) settles(want ...string) {
	a.Helper()
	var got []string
	err := wait.PollUntilContextTimeout(a.Context(), 20*time.Millisecond, 30*time.Second, true, func(ctx context.Context) (bool, error) {
		live := &v1.MyApp{}
		if err := a.user.Get(ctx, client.ObjectKeyFromObject(a.app), live); err != nil {
			return false, err
		}
		got = nil
		for _, condition := range live.Status.Conditions {
			if condition.ObservedGeneration == live.Generation {
				got = append(got, condition.Type+"="+string(condition.Status))
			}
		}
		return !slices.ContainsFunc(want, func(one string) bool { return !slices.Contains(got, one) }), nil
	})
	if err != nil {
		a.Fatalf("conditions are %v, want %v: %v", got, want, err)
	}
}

// quiet wakes the controller for nothing and checks that it writes nothing.
func (a *adopted) quiet() {
	a.Helper()
	if _, err := a.requests.Quiet(a.Context()); err != nil {
		a.Fatal(err)
	}
	a.requests.Reset()
	a.patch(a.app, `{"metadata":{"labels":{"somebody":"else"}}}`)
	if _, err := a.requests.Quiet(a.Context()); err != nil {
		a.Fatal(err)
	}
	if sent := a.requests.Writes(); len(sent) > 0 {
		a.Errorf("a pass that has nothing to do sent %v", sent)
	}
}

// What controller-runtime offers is there for the controller of a pipeline: options
// such as the priority queue, the timeout of a pass, and warm-up, with which sources
// start before the leader is elected; predicates; and further sources.
func TestWhatControllerRuntimeOffersIsReachable(t *testing.T) {
	a := newAdopted(t)
	held := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: a.app.Namespace, Name: "tuned"},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: ptr.To("somebody else"), LeaseDurationSeconds: ptr.To(int32(3600)),
			AcquireTime: ptr.To(metav1.NowMicro()), RenewTime: ptr.To(metav1.NowMicro()),
		},
	}
	ignored := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "ignored", Namespace: a.app.Namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	for _, object := range []client.Object{held, ignored} {
		if err := a.user.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	mgr, err := ctrl.NewManager(cluster.Shared(t).Config(), manager.Options{
		Scheme: scheme(t), Logger: logr.Discard(), Metrics: metricsserver.Options{BindAddress: "0"},
		Cache:          cache.Options{DefaultNamespaces: map[string]cache.Config{a.app.Namespace: {}}},
		LeaderElection: true, LeaderElectionID: "tuned", LeaderElectionNamespace: a.app.Namespace,
		LeaseDuration: ptr.To(3 * time.Second), RenewDeadline: ptr.To(2 * time.Second), RetryPeriod: ptr.To(100 * time.Millisecond),
	})
	if err != nil {
		t.Fatal(err)
	}
	a.mgr = mgr
	queues := make(chan workqueue.TypedRateLimitingInterface[ctrl.Request], 1)
	type pass struct {
		name    string
		timeout time.Duration
	}
	passes := make(chan pass, 10)
	pipeline := reconcile.NewPipeline("tuned-pipeline", reconcile.Func("tell", func(ctx context.Context, run appRun) (reconcile.Result, error) {
		deadline, _ := ctx.Deadline()
		passes <- pass{run.Object().Name, time.Until(deadline)}
		return reconcile.Continue, nil
	}))
	err = pipeline.SetupWithManager(mgr, func(b *builder.Builder) {
		b.WithOptions(controller.Options{
			ReconciliationTimeout: time.Hour, UsePriorityQueue: ptr.To(true), EnableWarmup: ptr.To(true),
		})
		b.WithEventFilter(predicate.NewPredicateFuncs(func(o client.Object) bool { return o.GetName() != "ignored" }))
		b.WatchesRawSource(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
			queues <- queue
			return nil
		}))
	})
	if err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)
	queue := a.next(queues)
	prioritized, ok := queue.(priorityqueue.PriorityQueue[ctrl.Request])
	if !ok {
		t.Fatalf("the queue is a %T", queue)
	}
	if err := a.user.Create(t.Context(), a.app); err != nil {
		t.Fatal(err)
	}
	err = wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) {
		return prioritized.Len() == 1, nil
	})
	if err != nil || len(passes) > 0 {
		t.Fatalf("%d objects wait for the leader, and there were %d passes: %v", prioritized.Len(), len(passes), err)
	}
	if err := a.user.Delete(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-passes:
		if got.name != "web" || got.timeout < 50*time.Minute || got.timeout > time.Hour {
			t.Errorf("the first pass is %+v", got)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("there was no pass")
	}
}

func (a *adopted) next(queues <-chan workqueue.TypedRateLimitingInterface[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request] {
	a.Helper()
	select {
	case queue := <-queues:
		return queue
	case <-time.After(30 * time.Second):
		a.Fatal("the sources did not start before the leader was elected")
		return nil
	}
}
