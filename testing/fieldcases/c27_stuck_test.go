package fieldcases_test

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C27: a finalizer is never cleared when there is nothing to clean up.
// https://github.com/vmware-labs/reconciler-runtime/issues/303
func c27() fieldCase {
	ingress := func(app *v1.MyApp) (*networkingv1.Ingress, error) {
		if !app.DeletionTimestamp.IsZero() {
			return nil, nil // none is wanted any more
		}
		return &networkingv1.Ingress{
			ObjectMeta: metav1.ObjectMeta{Name: app.Name + "-public"},
			Spec: networkingv1.IngressSpec{DefaultBackend: &networkingv1.IngressBackend{
				Service: &networkingv1.IngressServiceBackend{Name: app.Name, Port: networkingv1.ServiceBackendPort{Number: 80}},
			}},
		}, nil
	}
	exposed := func(app *v1.MyApp) bool { return app.Spec.Expose }
	return fieldCase{
		id: "C27",
		trueup: func(*world.Process) pipeline {
			return operator.New(operator.Options{Beside: []reconcile.Step[*v1.MyApp]{
				resources.Ensure(ingress).Named("Public").When(exposed).Detached("myapp.example/ingress"),
			}})
		},
		shows: "deleted by hand: MyApp is still there",
		run: func(w *world.World) {
			for name, expose := range map[string]bool{"never": false, "deleted by hand": true} {
				app := w.App("web", func(app *v1.MyApp) { app.Spec.Expose = expose })
				w.Converge()
				w.Must(w.User.DeleteAllOf(w.Context(), &networkingv1.Ingress{}, client.InNamespace(w.Namespace)))
				finalizers := len(app.Get().Finalizers)
				w.Mark()
				w.Delete(app.Get())
				for range 2 {
					app.Pass()
				}
				w.Expect(world.Find[v1.MyApp](w, "web") == nil, "%s: MyApp is still there", name)
				w.Expect(len(app.Errors()) == 0, "%s: passes failed: %v", name, app.Errors())
				// All of an operator's finalizers go in one write.
				w.Expect(finalizers > 0 && w.Count(world.WritesTo("myapps")) == 1, "%s: wrote %v", name, w.Writes())
				for _, deletion := range w.Deletions("ingresses") {
					w.Expect(deletion.Code == 404, "%s: deleted %v", name, deletion)
				}
				w.Forget(app)
			}
		},
	}
}
