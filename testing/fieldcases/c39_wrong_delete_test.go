package fieldcases_test

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C39: a child is switched off, and the user's object of that name is deleted.
// https://github.com/cloudnative-pg/cloudnative-pg/issues/1844
func c39() fieldCase {
	return fieldCase{
		id:    "C39",
		shows: "step 1: the user's Ingress is gone",
		run: func(w *world.World) {
			theirs := &networkingv1.Ingress{
				ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.Namespace},
				Spec: networkingv1.IngressSpec{DefaultBackend: &networkingv1.IngressBackend{
					Service: &networkingv1.IngressServiceBackend{Name: "theirs", Port: networkingv1.ServiceBackendPort{Number: 80}},
				}},
				Status: networkingv1.IngressStatus{},
			}
			w.Must(w.User.Create(w.Context(), theirs))
			app := w.App("web")
			w.Converge()
			if world.Find[networkingv1.Ingress](w, "web") == nil {
				w.Stop("step 1: the user's Ingress is gone")
			}
			w.Same("step 1: writes to the Ingress", 0, w.Count(world.WritesTo("ingresses")))
			w.Condition("step 1", app, "Ready", metav1.ConditionTrue, world.Available)
			w.Quiet("step 1", 5)

			app.Change(func(app *v1.MyApp) { app.Spec.Expose = true })
			w.Converge()
			w.Same("step 2: writes to the Ingress", 0, w.Count(world.WritesTo("ingresses")))
			w.Condition("step 2", app, "ExposeReady", metav1.ConditionFalse, world.Conflict)

			app.Change(func(app *v1.MyApp) { app.Spec.Expose = false })
			w.Converge()
			w.Same("switched off again: writes to the Ingress", 0, w.Count(world.WritesTo("ingresses")))
			w.Condition("switched off again", app, "Ready", metav1.ConditionTrue, world.Available)
		},
	}
}
