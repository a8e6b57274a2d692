package fieldcases_test

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C33: the next pass undoes an orphaning delete.
// https://github.com/operator-framework/operator-controller/pull/2022
//
// The garbage collector is the real one. The cache does not see at first that the
// MyApp is being deleted, which is worse than what the case asks for.
func c33() fieldCase {
	return fieldCase{
		id:     "C33",
		trueup: func(p *world.Process) pipeline { return operator.New(operator.Options{Registry: p.Registry}) },
		naive:  func(p *world.Process) *naive.Reconciler { return &naive.Reconciler{Registry: p.Registry} },
		shows:  "writes to services, want none",
		run: func(w *world.World) {
			app := w.S0()
			deployment, service := world.Get[appsv1.Deployment](w, "web"), world.Get[corev1.Service](w, "web")
			w.Stale(&v1.MyAppList{})
			w.Must(w.User.Delete(w.Context(), app.Get(), client.PropagationPolicy(metav1.DeletePropagationOrphan)))
			w.Expect(w.Eventually(func() bool {
				return len(world.Get[appsv1.Deployment](w, "web").OwnerReferences)+len(world.Get[corev1.Service](w, "web").OwnerReferences) == 0
			}), "the garbage collector does not orphan")
			app.Pass()
			w.CatchUp()
			w.Settle()
			w.Expect(world.Gone[v1.MyApp](w, "web"), "MyApp is still there")
			w.Settle()
			w.Wrote("after the delete", map[string]int{"myapps": world.Some, "myapps/status": world.Some})
			for _, pair := range [][2]client.Object{
				{deployment, world.Get[appsv1.Deployment](w, "web")}, {service, world.Get[corev1.Service](w, "web")},
			} {
				w.Same("UID", pair[0].GetUID(), pair[1].GetUID())
				w.Same("generation", pair[0].GetGeneration(), pair[1].GetGeneration())
				w.Same("owner references", 0, len(pair[1].GetOwnerReferences()))
			}
			_, deletes := w.Registry.Calls()
			w.Same("clean-ups", 1, deletes)
		},
	}
}
