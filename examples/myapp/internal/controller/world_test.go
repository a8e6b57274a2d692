package controller_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/examples/myapp/internal/stage"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// patience is how long a test waits for anything.
const patience = time.Minute

// restricted are labels of a namespace that admits only pods that keep to the
// restricted standard.
var restricted = cluster.Labels{"pod-security.kubernetes.io/enforce": "restricted"}

const image = "nginxinc/nginx-unprivileged:1.29"

// world is what a test works in: a namespace of its own on the shared cluster,
// which the administrator's client changes and the shared operator looks after.
// The namespace is restricted.
type world struct {
	*testing.T
	ctx       context.Context
	client    client.Client
	namespace string
	operator  *stage.Operator
	passes    *passes
}

func newWorld(t *testing.T) *world {
	t.Helper()
	env := cluster.Shared(t)
	w := &world{T: t, namespace: env.Namespace(t, restricted)}
	w.operator, w.passes = operator(t, env)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	w.ctx = ctx
	var err error
	if w.client, err = client.New(env.Config(), client.Options{Scheme: stage.Scheme}); err != nil {
		t.Fatal(err)
	}
	return w
}

// must fails the test on an error.
func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// await waits until check returns nil.
func (w *world) await(what string, check func() error) {
	w.Helper()
	w.must(stage.Await(w.ctx, what, func(context.Context) error { return check() }))
}

// app creates a MyApp.
func (w *world) app(name, image string, replicas int32) *v1.MyApp {
	w.Helper()
	app := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace},
		Spec:       v1.MyAppSpec{Image: image, Replicas: &replicas},
	}
	w.must(w.client.Create(w.ctx, app))
	return app
}

// patch reads the object, lets change change it and sends the difference.
func (w *world) patch(object client.Object, change func()) {
	w.Helper()
	w.get(object)
	before := object.DeepCopyObject().(client.Object)
	change()
	w.must(w.client.Patch(w.ctx, object, client.MergeFrom(before)))
}

// get reads the object again.
func (w *world) get(object client.Object) {
	w.Helper()
	w.must(w.client.Get(w.ctx, client.ObjectKeyFromObject(object), object))
}

// awaitReady waits until the app says of its latest generation that it is Ready,
// with as many replicas as it should have, and then until the operator is quiet.
func (w *world) awaitReady(app *v1.MyApp) {
	w.Helper()
	w.await(app.Name+" is Ready", func() error {
		w.get(app)
		ready := meta.FindStatusCondition(app.Status.Conditions, "Ready")
		if ready == nil || ready.Status != metav1.ConditionTrue || ready.ObservedGeneration != app.Generation ||
			app.Status.ObservedGeneration != app.Generation || app.Status.ReadyReplicas != *app.Spec.Replicas {
			return fmt.Errorf("generation %d, status %+v", app.Generation, app.Status)
		}
		return nil
	})
	w.quiet()
}

// awaitCondition waits until a condition of the app has the status and reason at
// its latest generation, and returns its message.
func (w *world) awaitCondition(app *v1.MyApp, name string, status metav1.ConditionStatus, reason string) string {
	w.Helper()
	message := ""
	w.await(fmt.Sprintf("%s of %s is %s with reason %s", name, app.Name, status, reason), func() error {
		w.get(app)
		is := meta.FindStatusCondition(app.Status.Conditions, name)
		if is == nil || is.Status != status || is.Reason != reason || is.ObservedGeneration != app.Generation {
			return fmt.Errorf("generation %d, conditions %+v", app.Generation, app.Status.Conditions)
		}
		message = is.Message
		return nil
	})
	return message
}

// here matches the operator's requests that concern the test.
func (w *world) here(request steptest.Request) bool { return request.Namespace == w.namespace }

// tells matches requests that change something or tell of it.
func tells(request steptest.Request) bool { return request.Write() || request.Event() }

// quiet waits until the operator is quiet and returns the number of its requests.
func (w *world) quiet() int {
	w.Helper()
	count, err := w.operator.Requests.Quiet(w.ctx, w.here)
	w.must(err)
	return count
}

// pass makes the operator look at the app once more, although nothing of
// interest has changed, and waits until it has.
func (w *world) pass(app *v1.MyApp) {
	w.Helper()
	name := client.ObjectKeyFromObject(app)
	before := w.passes.count(name)
	w.patch(app, func() { metav1.SetMetaDataAnnotation(&app.ObjectMeta, "poked", fmt.Sprint(before)) })
	w.await("a pass over "+app.Name+" is over", func() error {
		if now := w.passes.count(name); now <= before {
			return fmt.Errorf("%d passes", now)
		}
		return nil
	})
}
