package steptest

import (
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// Steps returns the [Case.Setup] of a pipeline that is made of nothing but these steps, of
// that name: for cases of one step, or of some that belong together. Each call of what it
// returns makes another pipeline, so that a case can be run many times, of the same steps.
// Steps that cannot be set up fail the case that they are of.
func Steps[T client.Object](name string, steps ...reconcile.Step[T]) func(ctrl.Manager) error {
	return func(mgr ctrl.Manager) error {
		return reconcile.NewPipeline(name, steps...).SetupWithManager(mgr)
	}
}
