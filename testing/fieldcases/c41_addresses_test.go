package fieldcases_test

import (
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C41: an update of a Service unsets the addresses that the server has assigned.
// https://github.com/knative/serving/issues/1362
//
// A server of today gives an update the addresses back that it leaves out, instead of
// rejecting it as in the report. So the handwritten one writes in each pass, for the
// same reason, and that is what it is held to, with the Service of either type.
func c41() fieldCase {
	return fieldCase{
		id:    "C41",
		shows: "step 1: 10 quiet passes wrote [update services cluster update deployments cluster delete ingresses cluster refused: Not Found update services node ",
		run: func(w *world.World) {
			kinds := map[string]corev1.ServiceType{"cluster": corev1.ServiceTypeClusterIP, "node": corev1.ServiceTypeNodePort}
			apps := map[string]*world.App{}
			for _, name := range []string{"cluster", "node"} {
				apps[name] = w.App(name, func(app *v1.MyApp) {
					app.Spec.ServiceType = kinds[name]
					app.Spec.ServiceAnnotations = map[string]string{"k": "v"}
				})
			}
			w.Converge()
			w.Quiet("step 1", 10)

			for _, name := range []string{"cluster", "node"} {
				app, first := apps[name], world.Get[corev1.Service](w, name)
				w.Expect(first.Spec.ClusterIP != "" && (name == "cluster" || first.Spec.Ports[0].NodePort > 0), "the Service has no address")
				app.Change(func(app *v1.MyApp) { app.Spec.Port = ptr.To[int32](9090) })
				w.Converge()
				w.Same("step 2: Service writes", 1, w.Count(world.WritesTo("services")))
				w.Same("step 2: rejected requests", 0, w.Count(world.Rejected))
				second := world.Get[corev1.Service](w, name)
				first.Spec.Ports[0].TargetPort = intstr.FromInt32(9090)
				sameService(w, "step 2: what differs beside the target port", first, second)
				w.Mark()

				app.Change(func(app *v1.MyApp) { app.Spec.ServiceAnnotations = nil })
				w.Converge()
				w.Wrote("step 3", map[string]int{"services": 1, "myapps/status": world.Some})
				delete(second.Annotations, "k")
				sameService(w, "step 3: what differs beside the annotation", second, world.Get[corev1.Service](w, name))
				w.Same("step 3: rejected requests", 0, w.Count(world.Rejected))
				w.Mark()
			}
		},
	}
}

// sameService expects a Service to be as wanted, but for what each write changes.
func sameService(w *world.World, step string, want, got *corev1.Service) {
	w.Same(step, want.Spec, got.Spec)
	w.Same(step+": labels", want.Labels, got.Labels)
	w.Same(step+": annotations", want.Annotations, got.Annotations, cmpopts.EquateEmpty())
	w.Same(step+": owners", want.OwnerReferences, got.OwnerReferences)
}
