package world

import (
	"context"
	"time"

	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/trueup-dev/trueup/testing/steptest"
)

// Manager makes a manager of the operator, whose cache is a real one, for cases
// about what wakes it. Its requests are counted.
func (w *World) Manager() ctrl.Manager {
	w.t.Helper()
	return steptest.NewManager(w.t, w.Requests.Attach(w.config), w.scheme, w.Namespace)
}

// Workers are controller options for a number of workers. The name of a controller
// is not kept to one process here.
func Workers(n int) func(*builder.Builder) {
	return func(build *builder.Builder) {
		build.WithOptions(controller.Options{MaxConcurrentReconciles: n, SkipNameValidation: ptr.To(true)})
	}
}

// Start runs the manager until the end of the test.
func (w *World) Start(mgr ctrl.Manager) {
	w.t.Helper()
	steptest.StartManager(w.t, mgr)
}

// Idle waits until the manager sends nothing any more.
func (w *World) Idle() {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	_, err := w.Requests.Quiet(ctx)
	w.Must(err)
}
