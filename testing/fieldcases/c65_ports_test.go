package fieldcases_test

import (
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C65: a port of the user's clashes with one that is built in.
// https://github.com/rabbitmq/cluster-operator/issues/2219
func c65() fieldCase {
	return fieldCase{
		id:    "C65",
		shows: "step 1: requests were rejected",
		run: func(w *world.World) {
			app := w.S0()
			service, deployment := world.Get[corev1.Service](w, "web"), world.Get[appsv1.Deployment](w, "web")
			for i, port := range []v1.Port{{Name: "http", Port: 9000}, {Name: "b", Port: 80}} {
				step := fmt.Sprintf("step %d", i+1)
				app.Change(func(app *v1.MyApp) { app.Spec.ExtraPorts = []v1.Port{port} })
				w.Settle()
				passes := len(app.Passes)
				w.Advance(10 * time.Minute)
				w.Expect(w.Count(world.Rejected) == 0, "%s: requests were rejected: %v", step, w.Writes())
				w.Expect(len(app.Passes) == passes, "%s: it is retried", step)
				w.Wrote(step, map[string]int{"myapps/status": 1})
				is := w.Condition(step, app, "Ready", metav1.ConditionFalse, world.InvalidSpec)
				for _, word := range []string{fmt.Sprintf("%s (%d)", port.Name, port.Port), "http (80)"} {
					w.Expect(strings.Contains(is.Message, word), "%s: the message does not tell %q: %s", step, word, is.Message)
				}
				w.Same(step+": Service", service.ResourceVersion, world.Get[corev1.Service](w, "web").ResourceVersion)
				w.Same(step+": Deployment", deployment.ResourceVersion, world.Get[appsv1.Deployment](w, "web").ResourceVersion)
				w.Mark()
			}
			app.Change(func(app *v1.MyApp) { app.Spec.ExtraPorts = []v1.Port{{Name: "b", Port: 9000}} })
			w.Converge()
			w.Same("step 3: Service writes", 1, w.Count(world.WritesTo("services")))
			ports := map[string]int32{}
			for _, port := range world.Get[corev1.Service](w, "web").Spec.Ports {
				ports[port.Name] = port.Port
			}
			w.Same("step 3: ports", map[string]int32{"http": 80, "b": 9000}, ports)
			w.Condition("step 3", app, "Ready", metav1.ConditionTrue, world.Available)
		},
	}
}
