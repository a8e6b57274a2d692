package finalizer_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// world is a MyApp on the real API server, and processes of an operator that come
// and go.
type world struct {
	*testing.T
	user     client.Client
	app      *v1.MyApp
	steps    func() []reconcile.Step[*v1.MyApp]
	shape    func(*reconcile.Pipeline[*v1.MyApp])
	pipeline *reconcile.Pipeline[*v1.MyApp] // of the process that runs, nil if none
	clock    *clocktesting.FakeClock
	events   *steptest.Events
	writes   []string     // accepted by the server
	past     []*v1.MyApp  // versions of the app before each write
	behind   bool         // the cache shows the version before the last write
	gate     func() error // what a request has to pass to get to the server
	lost     func() error // what its answer has to pass
	refuse   func(patch string) error
}

func newWorld(t *testing.T, steps func() []reconcile.Step[*v1.MyApp]) *world {
	t.Helper()
	shared := cluster.Shared(t)
	w := &world{
		T: t, steps: steps, clock: clocktesting.NewFakeClock(time.Now().Truncate(time.Second)), events: &steptest.Events{},
	}
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.user, err = client.New(shared.Config(), client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	w.app = &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: shared.Namespace(t)},
		Spec:       v1.MyAppSpec{Image: "img:1"},
	}
	if err := w.user.Create(t.Context(), w.app); err != nil {
		t.Fatal(err)
	}
	return w
}

// oneStep returns what makes a pipeline of one step, and of conditions.
func oneStep(step func() reconcile.Step[*v1.MyApp]) func() []reconcile.Step[*v1.MyApp] {
	return func() []reconcile.Step[*v1.MyApp] {
		return []reconcile.Step[*v1.MyApp]{step(), status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions })}
	}
}

// start starts a process, which knows nothing of what others did.
func (w *world) start() {
	w.Helper()
	w.pipeline = reconcile.NewPipeline("test", w.steps()...)
	if w.shape != nil {
		w.shape(w.pipeline)
	}
	server := &server{Client: w.user, world: w}
	err := w.pipeline.Setup(reconcile.Environment{Client: &cache{server}, Live: server, Clock: w.clock, Recorder: w.events})
	if err != nil {
		w.Fatal(err)
	}
}

// pass makes a pass of the process, which it starts if there is none.
func (w *world) pass() (ctrl.Result, error) {
	w.Helper()
	if w.pipeline == nil {
		w.start()
	}
	return w.pipeline.Reconcile(w.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(w.app)})
}

// must makes a pass that does not fail.
func (w *world) must(what string) ctrl.Result {
	w.Helper()
	result, err := w.pass()
	if err != nil {
		w.Fatalf("%s: %v", what, err)
	}
	return result
}

// quiet checks that further passes send nothing to the server.
func (w *world) quiet(what string) {
	w.Helper()
	w.writes = nil
	w.events.Reset()
	for range 2 {
		_, _ = w.pass()
	}
	w.wrote(what + ": further passes")
	if diff := cmp.Diff([]string(nil), w.events.All()); diff != "" {
		w.Errorf("%s: further passes told (-want +got):\n%s", what, diff)
	}
}

// live reads the app, and reports whether it is there.
func (w *world) live() bool {
	w.Helper()
	err := w.user.Get(w.Context(), client.ObjectKeyFromObject(w.app), w.app)
	if err != nil && !apierrors.IsNotFound(err) {
		w.Fatal(err)
	}
	return err == nil
}

// change lets somebody else change the app.
func (w *world) change(what func(*v1.MyApp)) {
	w.Helper()
	w.live()
	w.past = append(w.past, w.app.DeepCopy())
	what(w.app)
	if err := w.user.Update(w.Context(), w.app); err != nil {
		w.Fatal(err)
	}
}

// delete lets somebody delete the app.
func (w *world) delete() {
	w.Helper()
	w.live()
	w.past = append(w.past, w.app.DeepCopy())
	if err := w.user.Delete(w.Context(), w.app); err != nil {
		w.Fatal(err)
	}
}

// wrote checks what was written since the last time.
func (w *world) wrote(what string, want ...string) {
	w.Helper()
	if diff := cmp.Diff(want, w.writes); diff != "" {
		w.Errorf("%s: writes (-want +got):\n%s", what, diff)
	}
	w.writes = nil
}

func (w *world) finalizers(what string, want ...string) {
	w.Helper()
	w.live()
	if diff := cmp.Diff(want, w.app.Finalizers); diff != "" {
		w.Errorf("%s: finalizers (-want +got):\n%s", what, diff)
	}
}

// ready checks the Ready condition of the app.
func (w *world) ready(what string, status metav1.ConditionStatus, reason, message string) {
	w.Helper()
	w.live()
	ready := meta.FindStatusCondition(w.app.Status.Conditions, "Ready")
	if ready == nil || ready.Status != status || ready.Reason != reason || ready.Message != message {
		w.Errorf("%s: Ready is %+v, want %s %s %q", what, ready, status, reason, message)
	}
}

// stalled reports whether the app says that somebody has to do something.
func (w *world) stalled() bool {
	w.live()
	return meta.IsStatusConditionTrue(w.app.Status.Conditions, "Stalled")
}

// server is the API server as a process sees it.
type server struct {
	client.Client
	world *world
}

func (s *server) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	return s.world.send(func() error { return s.Client.Get(ctx, key, into, only(options)...) })
}

// only drops what is for caches.
func only([]client.GetOption) []client.GetOption { return nil }

func (s *server) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	return s.world.write("metadata", object, patch, func() error { return s.Client.Patch(ctx, object, patch, options...) })
}

func (s *server) Status() client.SubResourceWriter { return &statusWriter{s.Client.Status(), s.world} }

type statusWriter struct {
	client.SubResourceWriter
	world *world
}

func (s *statusWriter) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.SubResourcePatchOption) error {
	return s.world.write("status", object, patch, func() error { return s.SubResourceWriter.Patch(ctx, object, patch, options...) })
}

func (w *world) send(request func() error) error {
	if w.gate != nil {
		if err := w.gate(); err != nil {
			return err
		}
	}
	err := request()
	if err == nil && w.lost != nil {
		err = w.lost()
	}
	return err
}

func (w *world) write(what string, object client.Object, patch client.Patch, request func() error) error {
	return w.send(func() error {
		if data, err := patch.Data(object); err == nil && w.refuse != nil && what == "metadata" {
			if err := w.refuse(string(data)); err != nil {
				return err
			}
		}
		before := w.app.DeepCopy()
		if err := w.user.Get(w.Context(), client.ObjectKeyFromObject(w.app), before); err != nil {
			return err
		}
		if err := request(); err != nil {
			return err
		}
		w.past = append(w.past, before)
		w.writes = append(w.writes, what)
		return nil
	})
}

// cache is a client that may read a version of the app behind.
type cache struct{ *server }

func (c *cache) Get(ctx context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if app, ok := into.(*v1.MyApp); ok && c.world.behind && len(c.world.past) > 0 {
		c.world.past[len(c.world.past)-1].DeepCopyInto(app)
		return nil
	}
	return c.world.user.Get(ctx, key, into)
}

// has reports whether the app on the server has a finalizer and an annotation.
func (w *world) has(name, annotation string) bool {
	app := &v1.MyApp{}
	if err := w.user.Get(w.Context(), client.ObjectKeyFromObject(w.app), app); err != nil {
		return false
	}
	return slices.Contains(app.Finalizers, name) && app.Annotations[annotation] != ""
}
