package fieldcases_test

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C35: an owner reference crosses namespaces, or leads from a namespace to what is
// in none.
// https://github.com/crossplane/crossplane/issues/895
//
// The garbage collector is the real one.
func c35() fieldCase {
	infra, referring := "", false
	name := func(app *v1.MyApp) string { return app.Name + "-" + app.Namespace }
	config := func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name(app), Namespace: infra}}, nil
	}
	role := func(app *v1.MyApp) (*rbacv1.ClusterRole, error) {
		return &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name(app)}}, nil
	}
	type steps = []reconcile.Step[*v1.MyApp]
	return fieldCase{
		id: "C35",
		trueup: func(p *world.Process) pipeline {
			if infra == "" {
				infra = p.World.Elsewhere()
			}
			if referring {
				return operator.New(operator.Options{Beside: steps{resources.Ensure(config).Named("Infra")}})
			}
			return operator.New(operator.Options{Beside: steps{
				resources.Ensure(config).Named("Infra").Detached("myapp.example/infra"),
				resources.Ensure(role).Detached("myapp.example/role"),
			}})
		},
		naive: func(p *world.Process) *naive.Reconciler {
			if infra == "" {
				infra = p.World.Elsewhere()
			}
			return &naive.Reconciler{Faults: naive.Faults{Reaches: true}, Look: naive.Look{Other: infra}}
		},
		shows: "there is always another", /* because the garbage collector takes what it makes */
		run: func(w *world.World) {
			app := w.App("web")
			w.Converge()
			find := func(object client.Object, namespace string) bool {
				err := w.User.Get(w.Context(), client.ObjectKey{Namespace: namespace, Name: "web-" + w.Namespace}, object)
				w.Must(client.IgnoreNotFound(err))
				return !apierrors.IsNotFound(err)
			}
			configMap, clusterRole := &corev1.ConfigMap{}, &rbacv1.ClusterRole{}
			if !find(configMap, infra) || len(configMap.OwnerReferences) > 0 {
				w.Stop("the ConfigMap has owner references: %v", configMap.OwnerReferences)
			}
			if !find(clusterRole, "") || len(clusterRole.OwnerReferences) > 0 {
				w.Stop("the ClusterRole has owner references: %v", clusterRole.OwnerReferences)
			}
			effects := w.Effects()
			w.Expect(effects[0] == "patch myapps web", "the finalizer was not first: %v", effects)
			for _, object := range []client.Object{configMap, clusterRole} {
				w.Same("owner by label", string(app.Get().UID), object.GetLabels()[resources.OwnerUIDLabel])
				w.Same("owner by annotation", w.Namespace+"/web", object.GetAnnotations()[resources.OwnerAnnotation])
			}
			w.Sweep()
			w.Expect(find(configMap, infra) && find(clusterRole, ""), "the garbage collector has taken them")
			w.Quiet("step 1", 3)

			// Somebody puts another ConfigMap in the place of ours.
			w.Must(w.User.Delete(w.Context(), configMap))
			other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: configMap.Name, Namespace: infra}}
			w.Must(w.User.Create(w.Context(), other))
			w.Delete(app.Get())
			w.Settle()
			w.Expect(world.Find[v1.MyApp](w, "web") == nil, "step 2: MyApp is still there")
			w.Expect(find(configMap, infra) && configMap.UID == other.UID, "step 2: somebody else's ConfigMap is gone")
			w.Expect(!find(clusterRole, ""), "step 2: the ClusterRole is still there")
			w.Expect(len(w.Deletions("clusterroles")) == 1 && w.Deletions("clusterroles")[0].UID == string(clusterRole.UID),
				"step 2: deleted %v", w.Deletions("clusterroles"))
			effects = w.Effects()
			w.Expect(strings.HasPrefix(effects[len(effects)-1], "patch myapps "), "step 2: the finalizer did not go last: %v", effects)

			// Declared as owned by reference, the one is refused at setup, and the other,
			// whose namespace only the function knows, before anything is sent.
			err := operator.New(operator.Options{Beside: steps{resources.Ensure(role)}}).Setup(w.Operator.Env)
			w.Expect(err != nil && strings.Contains(err.Error(), "ClusterRole"), "setup: %v", err)
			referring = true
			w.Restart()
			w.Mark()
			again := w.App("again")
			again.Pass()
			w.Expect(w.Count(world.WritesTo("configmaps")) == 0, "by reference: wrote %v", w.Writes())
			w.Condition("by reference", again, "InfraReady", metav1.ConditionFalse, world.Any)
		},
	}
}
