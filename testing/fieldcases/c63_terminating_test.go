package fieldcases_test

import (
	"context"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// C63: children are created in a namespace that is terminating.
// https://github.com/kubernetes-sigs/mcp-lifecycle-operator/issues/300
//
// The namespace controller is the real one. A policy keeps it from the MyApp and the
// Deployment for a while.
func c63() fieldCase {
	return fieldCase{
		id:     "C63",
		trueup: func(p *world.Process) pipeline { return operator.New(operator.Options{Registry: p.Registry}) },
		naive: func(p *world.Process) *naive.Reconciler {
			return &naive.Reconciler{Registry: p.Registry, Faults: naive.Faults{Registers: true}}
		},
		shows: `step 1: passes failed: 10 times, last with [services "web" is forbidden: unable to create new content in namespace`,
		run: func(w *world.World) {
			app := w.S0()
			w.Same("start: entries of the Registry", 1, len(w.Registry.Members()))
			services := func(request steptest.Request) bool {
				return request.Resource == "services" && request.Verb != "get" && request.Verb != "list"
			}

			// Forbidden for another reason is an error.
			w.On(services, 1, world.Refuse(403, metav1.StatusReasonForbidden, "forbidden"))
			app.Change(func(app *v1.MyApp) { app.Spec.ExtraPorts = []v1.Port{{Name: "b", Port: 9000}} })
			other := app.Pass()
			w.Expect(apierrors.IsForbidden(other.Err) && other.Retried(), "a Forbidden of another cause comes to: %v", other.Err)
			w.Converge()
			w.Mark()

			letGo := protect(w, app)
			namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
			w.Must(w.User.Delete(w.Context(), namespace))
			w.Expect(world.Gone[corev1.Service](w, "web"), "the namespace controller does not empty the namespace")
			w.Expect(world.Find[appsv1.Deployment](w, "web") != nil, "the policy does not protect the Deployment")
			for range 10 {
				w.Clock.SetTime(w.Clock.Now().Add(time.Second))
				again := app.Pass().Result.RequeueAfter
				w.Expect(again == 0 || again >= 30*time.Second, "step 1: the next pass is in %s", again)
			}
			errs := app.Errors()
			w.Expect(len(errs) == 0, "step 1: passes failed: %d times, last with %v", len(errs), errs)
			w.Expect(w.Count(creates) <= 1, "step 1: tries to create: %v", w.Writes())
			w.Expect(len(w.Events.All()) == 0, "step 1: told %v", w.Events.All())

			w.Mark()
			letGo()
			w.Delete(app.Get())
			w.Settle()
			_, deletes := w.Registry.Calls()
			w.Same("step 2: clean-ups", 1, deletes)
			w.Same("step 2: creates", 0, w.Count(creates))
			w.Expect(world.Gone[v1.MyApp](w, "web"), "step 2: MyApp is still there")
			w.Expect(len(app.Errors()) == 0, "step 2: passes failed: %v", app.Errors())
		},
	}
}

// creates matches what may make an object.
func creates(request steptest.Request) bool {
	return world.Verb("create", "apply")(request) && !strings.Contains(request.Resource, "/")
}

// protect lets nobody delete MyApps and Deployments until it is let go.
func protect(w *world.World, app *world.App) (letGo func()) {
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: w.Namespace},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: w.Namespace}},
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Delete},
					Rule: admissionregistrationv1.Rule{
						APIGroups: []string{v1.GroupVersion.Group, appsv1.GroupName}, APIVersions: []string{"v1"},
						Resources: []string{"myapps", "deployments"},
					},
				}}},
			},
			Validations: []admissionregistrationv1.Validation{{Expression: "false"}},
		},
	}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: w.Namespace},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        policy.Name,
			ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	}
	w.Must(w.User.Create(w.Context(), policy))
	w.Must(w.User.Create(w.Context(), binding))
	w.TB().Cleanup(func() {
		_ = w.User.Delete(context.Background(), policy)
		_ = w.User.Delete(context.Background(), binding)
	})
	protected := func() bool { return w.User.Delete(w.Context(), app.Get(), client.DryRunAll) != nil }
	if !w.Eventually(protected) {
		w.TB().Fatal("the policy does not protect")
	}
	return func() {
		w.Must(w.User.Delete(w.Context(), binding))
		if !w.Eventually(func() bool { return !protected() }) {
			w.TB().Fatal("the policy protects still")
		}
	}
}
