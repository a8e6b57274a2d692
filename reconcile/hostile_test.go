package reconcile_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// mute is an error whose text cannot be had of a nil pointer.
type mute struct{ text string }

func (m *mute) Error() string { return m.text }

// An error that panics when it is asked for its text is the failure of its step, and
// of nothing else.
func TestAnErrorThatPanicsIsItsStepsFailure(t *testing.T) {
	var nothing *mute
	script := &script{}
	for name, of := range map[string]step{
		"alone":    script.step("speechless", returned{err: nothing}),
		"terminal": script.step("speechless", returned{err: reconcile.Terminal(nothing)}),
		"wrapped":  reconcile.Retry(2, 0, script.step("speechless", returned{err: nothing})),
	} {
		t.Run(name, func(t *testing.T) {
			script.ran = nil
			pass := newRun(t)
			_, err := pass.Do(t.Context(), reconcile.All(of, script.step("other", returned{})))
			failure, ok := errors.AsType[*reconcile.PanicError](err)
			if !ok || !strings.Contains(err.Error(), "step speechless: panic: ") || len(failure.Stack) == 0 {
				t.Errorf("err = %v, want the panic as that of the step", err)
			}
			if script.ran[len(script.ran)-1] != "other" {
				t.Errorf("ran %v, want the other step too", script.ran)
			}
		})
	}
}

// A pass whose time is up tells so in the status. One that was cancelled, because the
// process ends or another one leads, writes nothing.
func TestAPassWhoseTimeIsUpTellsSo(t *testing.T) {
	slow := reconcile.Func("slow", func(ctx context.Context, _ appRun) (reconcile.Result, error) {
		<-ctx.Done()
		return reconcile.Result{}, ctx.Err()
	})
	b := newPipelineBench(t, slow, countReplicas(3))
	pass := func(ctx context.Context) error {
		_, err := b.pipeline.Reconcile(ctx, requestFor(b.app))
		return err
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := pass(cancelled); !errors.Is(err, context.Canceled) || b.live().Status.Replicas != 0 {
		t.Errorf("a pass that was cancelled: err = %v, replicas = %d", err, b.live().Status.Replicas)
	}
	b.Requests.Reset()
	limited, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := pass(limited); !errors.Is(err, context.DeadlineExceeded) || b.live().Status.Replicas != 3 {
		t.Errorf("a pass whose time is up: err = %v, replicas = %d; want it written, and the error", err, b.live().Status.Replicas)
	}
	b.wrote("the status", "patch myapps/status")
}

// Functions of values, for indexes and watches, are called by the cache: where one
// panics because of a single object the process goes on, and so do all others.
func TestValuesThatPanicFindNothing(t *testing.T) {
	shared := cluster.Shared(t)
	namespace := shared.Namespace(t)
	mgr := steptest.NewManager(t, shared.Config(), scheme(t), namespace)
	image := func(object client.Object) []string {
		if object.GetName() == "bad" {
			panic("a nil pointer in the spec")
		}
		return []string{object.(*v1.MyApp).Spec.Image}
	}
	found := make(chan []string, 100)
	step := reconcile.Func("step", func(ctx context.Context, run appRun) (reconcile.Result, error) {
		apps := &v1.MyAppList{}
		err := run.Cache().List(ctx, apps, client.InNamespace(namespace), run.Matching("image", run.Object().Spec.Image))
		var names []string
		for i := range apps.Items {
			names = append(names, apps.Items[i].Name)
		}
		if run.Object().Name == "web" {
			found <- names
		}
		return reconcile.Continue, err
	}).Indexed(reconcile.Index{Object: &v1.MyApp{}, Name: "image", Values: image}).Watching(reconcile.Watch{
		Object: &corev1.Secret{}, Index: "image", Values: func(object client.Object) []string {
			if object.GetName() == "bad" {
				panic("no such key")
			}
			return []string{"img:1"}
		},
	})
	if err := reconcile.NewPipeline("panicking", step).SetupWithManager(mgr); err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)
	next := func() {
		t.Helper()
		select {
		case got := <-found:
			if diff := cmp.Diff([]string{"web"}, got); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("there was no pass")
		}
	}
	app := func(name string) client.Object {
		return &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: v1.MyAppSpec{Image: "img:1"}}
	}
	secret := func(name string) client.Object {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	}
	for _, object := range []client.Object{app("bad"), secret("bad"), app("web"), nil, secret("good")} {
		if object == nil {
			next() // because of the app
			continue
		}
		if err := mgr.GetClient().Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	next() // because of the good secret
}
