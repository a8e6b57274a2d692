package world

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// S0 is where most cases start: MyApp web, settled and rolled out.
func (w *World) S0(change ...func(*v1.MyApp)) *App {
	w.t.Helper()
	app := w.App("web", change...)
	w.Converge()
	now := app.Get()
	w.Expect(now.Generation == 1 && now.Status.ObservedGeneration == 1, "S0: observedGeneration is %d of %d", now.Status.ObservedGeneration, now.Generation)
	w.Condition("S0", app, "Ready", metav1.ConditionTrue, Available)
	w.Expect(slices.Contains(now.Finalizers, Finalizer), "S0: the finalizers are %v", now.Finalizers)
	w.Expect(now.Status.ReadyReplicas == ptr.Deref(now.Spec.Replicas, 1), "S0: there are %d ready replicas", now.Status.ReadyReplicas)
	w.Expect(!app.queued && !app.Timed(), "S0: another pass is to come")
	w.ownedBy("S0", now, Get[appsv1.Deployment](w, "web"), Get[corev1.Service](w, "web"))
	w.Mark()
	return app
}

// ownedBy expects children to have their app as the controller, and no other owner.
func (w *World) ownedBy(step string, app *v1.MyApp, children ...client.Object) {
	w.t.Helper()
	for _, child := range children {
		owners := child.GetOwnerReferences()
		if len(owners) != 1 {
			w.Fault("%s: %s %s has the owners %v", step, w.kindOf(child), child.GetName(), owners)
			continue
		}
		owner := owners[0]
		w.Expect(owner.APIVersion == v1.GroupVersion.String() && owner.Kind == "MyApp" && owner.Name == app.Name &&
			owner.UID == app.UID && ptr.Deref(owner.Controller, false),
			"%s: %s %s has the owner %v", step, w.kindOf(child), child.GetName(), owner)
	}
}
