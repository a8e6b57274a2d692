package world

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// Finalizer is that of the operators.
const Finalizer = "myapp.example/cleanup"

// Know tells the queue of a MyApp that exists or will.
func (w *World) Know(name string) *App {
	app := &App{Name: name, world: w}
	w.apps = append(w.apps, app)
	return app
}

// App creates a MyApp with replicas 2, image img:1 and port 8080, unless changed.
func (w *World) App(name string, change ...func(*v1.MyApp)) *App {
	w.t.Helper()
	app := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.Namespace},
		Spec:       v1.Spec{Replicas: ptr.To[int32](2), Image: "img:1", Port: ptr.To[int32](8080)},
	}
	for _, change := range change {
		change(app)
	}
	w.Must(w.User.Create(w.Context(), app))
	return w.Know(name)
}

// Mark forgets what was sent, told and done so far.
func (w *World) Mark() {
	w.Requests.Reset()
	w.Events.Reset()
	for _, app := range w.apps {
		app.Passes = nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.effects = nil
}

// Forget takes an app that is gone out of the queue.
func (w *World) Forget(app *App) {
	w.apps = slices.DeleteFunc(w.apps, func(known *App) bool { return known == app })
}
