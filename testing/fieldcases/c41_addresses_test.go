package fieldcases_test

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C41: an update of a Service unsets the addresses that the server has assigned.
// https://github.com/knative/serving/issues/1362
func c41() fieldCase {
	return fieldCase{
		id:    "C41",
		shows: "step 1: 10 quiet passes wrote [update services",
		run: func(w *world.World) {
			for name, kind := range map[string]corev1.ServiceType{"cluster": corev1.ServiceTypeClusterIP, "node": corev1.ServiceTypeNodePort} {
				app := w.App(name, func(app *v1.MyApp) {
					app.Spec.ServiceType = kind
					app.Spec.ServiceAnnotations = map[string]string{"k": "v"}
				})
				w.Converge()
				first := world.Get[corev1.Service](w, name)
				w.Expect(first.Spec.ClusterIP != "" && (kind == corev1.ServiceTypeClusterIP || first.Spec.Ports[0].NodePort > 0), "the Service has no address")
				w.Quiet("step 1", 10)

				app.Change(func(app *v1.MyApp) { app.Spec.Port = ptr.To[int32](9090) })
				w.Converge()
				w.Same("step 2: Service writes", 1, w.Count(world.WritesTo("services")))
				second := world.Get[corev1.Service](w, name)
				first.Spec.Ports[0].TargetPort = intstr.FromInt32(9090)
				w.Same("step 2: what differs beside the target port", first.Spec, second.Spec)
				w.Mark()

				app.Change(func(app *v1.MyApp) { app.Spec.ServiceAnnotations = nil })
				w.Converge()
				third := world.Get[corev1.Service](w, name)
				w.Same("step 3: Service writes", 1, w.Count(world.WritesTo("services")))
				w.Expect(third.Annotations["k"] == "", "step 3: the annotation is still there")
				w.Same("step 3: spec", second.Spec, third.Spec)
				w.Same("rejected requests", 0, w.Count(world.Rejected))
				w.Forget(app)
			}
		},
	}
}
