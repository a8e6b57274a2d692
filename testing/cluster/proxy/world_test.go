package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/cluster/proxy"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// patience is how long a test waits for anything. A cache that cannot watch tries again
// after up to half a minute.
const patience = 90 * time.Second

const hold = "apps.example.com/record"

// world is a namespace, and what is kept outside of the cluster for its apps. The user
// goes to the API server directly, and sees all that happens.
type world struct {
	*testing.T
	ctx       context.Context
	user      client.WithWatch
	namespace string

	mu      sync.Mutex
	records map[types.UID]string
	faults  []string
	made    []types.UID // ConfigMaps that were created
}

func newWorld(t *testing.T) *world {
	t.Helper()
	shared := cluster.Shared(t)
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	user, err := client.NewWithWatch(shared.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	w := &world{T: t, ctx: ctx, user: user, namespace: shared.Namespace(t), records: map[types.UID]string{}}
	w.follow(&v1.MyAppList{}, w.seenApp)
	w.follow(&corev1.ConfigMapList{}, w.seenChild)
	return w
}

// follow has a function called for all that happens to objects of a kind.
func (w *world) follow(list client.ObjectList, seen func(watch.Event)) {
	w.Helper()
	events, err := w.user.Watch(w.ctx, list, client.InNamespace(w.namespace))
	if err != nil {
		w.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for event := range events.ResultChan() {
			seen(event)
		}
	}()
	w.Cleanup(func() { events.Stop(); <-done })
}

// seenApp notes an app that says it is Ready, of a generation whose image its child
// does not have: images are numbered as generations are, and only grow.
func (w *world) seenApp(event watch.Event) {
	app, ok := event.Object.(*v1.MyApp)
	if !ok || event.Type == watch.Deleted || !isReady(app) {
		return
	}
	child := &corev1.ConfigMap{}
	if err := w.user.Get(w.ctx, client.ObjectKeyFromObject(app), child); err != nil || child.Data["image"] < imageOf(app.Generation) {
		w.fault("generation %d is said to be Ready, with a child of %q (%v)", app.Generation, child.Data["image"], err)
	}
}

func (w *world) seenChild(event watch.Event) {
	if child, ok := event.Object.(*corev1.ConfigMap); ok && event.Type == watch.Added && len(child.OwnerReferences) > 0 {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.made = append(w.made, child.UID)
	}
}

func (w *world) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx.Err() == nil {
		w.faults = append(w.faults, fmt.Sprintf(format, args...))
	}
}

func isReady(app *v1.MyApp) bool {
	ready := meta.FindStatusCondition(app.Status.Conditions, "Ready")
	return ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == app.Generation
}

func imageOf(generation int64) string { return fmt.Sprintf("img:%d", generation) }

// pipeline keeps a ConfigMap and a record for each app.
func (w *world) pipeline() *reconcile.Pipeline[*v1.MyApp] {
	record := finalizer.Func(hold, func(_ context.Context, run *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.records, run.Object().UID)
		return reconcile.Continue, nil
	}).Acquire(func(_ context.Context, run *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
		live := &v1.MyApp{}
		if err := w.user.Get(w.ctx, client.ObjectKeyFromObject(run.Object()), live); err != nil || !slices.Contains(live.Finalizers, hold) {
			w.fault("a record is made with finalizers %v (%v)", live.Finalizers, err)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.records[run.Object().UID] = run.Object().Name
		return reconcile.Continue, nil
	})
	child := resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: app.Name, Namespace: app.Namespace},
			Data:       map[string]string{"image": app.Spec.Image},
		}, nil
	})
	return reconcile.NewPipeline("proxied", record, child,
		status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions }))
}

// replica is a process of the operator, with a way of its own to the API server.
type replica struct {
	*proxy.Proxy
	requests *steptest.Requests
	elected  <-chan struct{}
	ended    <-chan error
}

// start starts a replica. With a lease it does nothing until it has it, and ends when
// it loses it; without, it runs until the test ends.
func (w *world) start(lease bool) *replica {
	w.Helper()
	way, err := proxy.Start(cluster.Shared(w.T).Config())
	if err != nil {
		w.Fatal(err)
	}
	r := &replica{Proxy: way, requests: &steptest.Requests{}}
	mgr, err := w.manager(r.requests.Attach(way.Config()), lease)
	if err == nil {
		err = w.pipeline().SetupWithManager(mgr)
	}
	if err != nil {
		w.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.ctx))
	ended, over := make(chan error, 1), make(chan struct{})
	r.elected, r.ended = mgr.Elected(), ended
	go func() {
		defer close(over)
		ended <- mgr.Start(ctx)
	}()
	w.Cleanup(func() {
		cancel()
		<-over
		if err := way.Close(); err != nil {
			w.Error(err)
		}
	})
	return r
}

func (w *world) manager(way *rest.Config, lease bool) (ctrl.Manager, error) {
	return ctrl.NewManager(way, manager.Options{
		Scheme: w.user.Scheme(), Logger: logr.Discard(),
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Cache:      cache.Options{DefaultNamespaces: map[string]cache.Config{w.namespace: {}}},
		Controller: config.Controller{SkipNameValidation: new(true)}, // each test has one

		LeaderElection: lease, LeaderElectionID: "proxied", LeaderElectionNamespace: w.namespace,
		LeaseDuration: new(3 * time.Second), RenewDeadline: new(2 * time.Second), RetryPeriod: new(200 * time.Millisecond),
	})
}

// await waits until check returns nil.
func (w *world) await(what string, check func() error) {
	w.Helper()
	last := errors.New("not looked at")
	err := wait.PollUntilContextCancel(w.ctx, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		w.Fatalf("%s: %v", what, last)
	}
}

func (w *world) app() *v1.MyApp {
	return &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.namespace}, Spec: v1.MyAppSpec{Image: imageOf(1)}}
}

// change gives the app the image of its next generation.
func (w *world) change(generation int64) {
	w.Helper()
	body := fmt.Sprintf(`{"spec":{"image":%q}}`, imageOf(generation))
	if err := w.user.Patch(w.ctx, w.app(), client.RawPatch(types.MergePatchType, []byte(body))); err != nil {
		w.Fatal(err)
	}
}

func (w *world) awaitReady(generation int64) {
	w.Helper()
	w.await(fmt.Sprintf("generation %d is Ready", generation), func() error {
		app := w.app()
		if err := w.user.Get(w.ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return err
		}
		if app.Generation != generation || !isReady(app) {
			return fmt.Errorf("generation %d, conditions %+v", app.Generation, app.Status.Conditions)
		}
		return nil
	})
}

// quiet waits until the replica sends nothing more.
func (w *world) quiet(r *replica) {
	w.Helper()
	if _, err := r.requests.Quiet(w.ctx, func(request steptest.Request) bool {
		return request.Namespace == w.namespace && request.Write() && request.Resource != "leases"
	}); err != nil {
		w.Error(err)
	}
}

// end deletes the app and checks what is left, and that all was right meanwhile.
func (w *world) end() {
	w.Helper()
	if err := w.user.Delete(w.ctx, w.app()); err != nil {
		w.Fatal(err)
	}
	w.await("the app is gone", func() error {
		if err := w.user.Get(w.ctx, client.ObjectKeyFromObject(w.app()), w.app()); !apierrors.IsNotFound(err) {
			return fmt.Errorf("it is there: %w", err)
		}
		return nil
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.records) > 0 {
		w.Errorf("records are left: %v", w.records)
	}
	if len(w.made) != 1 {
		w.Errorf("%d ConfigMaps were created, want 1", len(w.made))
	}
	for _, fault := range w.faults {
		w.Error(fault)
	}
}
