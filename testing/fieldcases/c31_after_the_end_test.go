package fieldcases_test

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// C31: the pass goes on after it has removed the finalizer, and makes children again.
// https://github.com/pravega/zookeeper-operator/issues/410
func c31() fieldCase {
	return fieldCase{
		id:    "C31",
		shows: "after the finalizer was removed, the pass wrote [create services",
		run: func(w *world.World) {
			app := w.S0()
			w.Delete(app.Get())
			after := 0
			w.On(func(request steptest.Request) bool { return request.Write() && request.Resource == "myapps" }, 1, world.After(func() {
				w.Delete(&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}})
				w.Delete(&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"}})
				after = len(w.Requests.Writes())
			}))
			app.Pass()
			writes := w.Writes()[min(after+1, len(w.Writes())):]
			w.Expect(len(writes) == 0, "after the finalizer was removed, the pass wrote %v", writes)
			w.Expect(len(w.Events.All()) == 0, "the pass told %v", w.Events.All())
			w.Mark()
			for range 2 {
				pass := app.Pass()
				w.Expect(pass.Err == nil && pass.Result.IsZero(), "a later pass returned %v, %v", pass.Result, pass.Err)
			}
			w.Wrote("later", map[string]int{})
			deployments, services := &appsv1.DeploymentList{}, &corev1.ServiceList{}
			w.List(deployments)
			w.List(services)
			w.Expect(len(deployments.Items)+len(services.Items) == 0, "there are objects of the dead: %s", strings.Join(w.Effects(), ", "))
		},
	}
}
