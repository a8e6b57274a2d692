package finalizer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/cluster"
)

// C75: an admission policy that refuses to have the finalizer removed shows in the
// status, once; what was released is not released again.
func TestARefusedRemovalShows(t *testing.T) {
	system := newRegistry()
	w := newExternalWorld(t, system)
	w.must("first pass")
	lift := w.refuseRemoval()
	w.delete()
	w.writes = nil
	system.took()
	w.events.Reset()
	for range 5 {
		if _, err := w.pass(); err == nil || reconcile.IsTerminal(err) {
			t.Fatalf("err = %v, want one that is retried with backoff", err)
		}
	}
	w.wrote("the status, once", "status")
	w.called(system, "released once", "observe", "delete", "observe")
	w.live()
	for _, condition := range w.app.Status.Conditions {
		if condition.Type == "Ready" && (condition.Reason != "Denied" || !strings.Contains(condition.Message, "no credentials")) {
			t.Errorf("Ready = %+v, want the policy's words", condition)
		}
	}
	if told := w.events.All(); len(told) != 2 || !strings.Contains(told[1], "no credentials") {
		t.Errorf("events = %q, want that it was released and, once, that the removal was refused", told)
	}
	lift()
	w.eventually("the policy is lifted", func(context.Context) bool {
		_, err := w.pass()
		return err == nil
	})
	if w.live() || system.removed != 1 {
		t.Errorf("the app is there, or its thing was removed %d times", system.removed)
	}
}

// refuseRemoval installs an admission policy that denies to take the finalizer
// off, and waits until it is in force. It returns what lifts it.
func (w *world) refuseRemoval() func() {
	w.Helper()
	ctx := context.WithoutCancel(w.Context())
	clientset, err := kubernetes.NewForConfig(cluster.Shared(w.T).Config())
	if err != nil {
		w.Fatal(err)
	}
	name := w.app.Namespace
	admission := clientset.AdmissionregistrationV1()
	_, err = admission.ValidatingAdmissionPolicies().Create(ctx, &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: ptr.To(admissionregistrationv1.Fail),
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: name}},
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{v1.GroupVersion.Group}, APIVersions: []string{"v1"}, Resources: []string{"myapps"}},
				}}},
			},
			Validations: []admissionregistrationv1.Validation{{
				Expression: "has(object.metadata.finalizers) && '" + dns + "' in object.metadata.finalizers", Message: "no credentials",
			}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		w.Fatal(err)
	}
	_, err = admission.ValidatingAdmissionPolicyBindings().Create(ctx, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		w.Fatal(err)
	}
	lift := func() {
		_ = admission.ValidatingAdmissionPolicyBindings().Delete(ctx, name, metav1.DeleteOptions{})
		_ = admission.ValidatingAdmissionPolicies().Delete(ctx, name, metav1.DeleteOptions{})
	}
	w.Cleanup(lift)
	w.eventually("the policy is in force", func(ctx context.Context) bool {
		w.live()
		without := w.app.DeepCopy()
		without.Finalizers = nil
		err := w.user.Update(ctx, without, client.DryRunAll)
		return err != nil && strings.Contains(err.Error(), "no credentials")
	})
	return lift
}

func (w *world) eventually(what string, met func(context.Context) bool) {
	w.Helper()
	err := wait.PollUntilContextTimeout(w.Context(), 10*time.Millisecond, 30*time.Second, true,
		func(ctx context.Context) (bool, error) { return met(ctx), nil })
	if err != nil {
		w.Fatalf("%s: %v", what, err)
	}
}

// C63, C29: a namespace that is being deleted, and with it the object, which
// somebody else holds on to.
func TestATerminatingNamespace(t *testing.T) {
	system := newRegistry()
	w := newExternalWorld(t, system)
	w.must("first pass")
	w.change(func(app *v1.MyApp) { app.Finalizers = append(app.Finalizers, "other.io/protect", "other.io/audit") })
	clientset, err := kubernetes.NewForConfig(cluster.Shared(t).Config())
	if err != nil {
		t.Fatal(err)
	}
	if err := clientset.CoreV1().Namespaces().Delete(t.Context(), w.app.Namespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.must("the namespace goes, the object does not yet")
	w.quiet("the namespace goes, the object does not yet")
	w.delete()
	w.writes = nil
	w.must("the object goes")
	w.wrote("the status says who holds it, and ours is off", "status", "metadata")
	w.finalizers("the object goes", "other.io/protect", "other.io/audit")
	w.ready("the object goes", metav1.ConditionFalse, "Deleting",
		"deletion waits for finalizers: the finalizers other.io/audit, other.io/protect, which others have to take off")
	if system.removed != 1 || len(system.values()) != 0 {
		t.Errorf("left: %v", system.values())
	}
	w.quiet("others hold it")
	w.change(func(app *v1.MyApp) { app.Finalizers = nil })
	w.quiet("the end")
}

// What the release needs is gone before the object is: the status says so, and a
// deadline ends it.
func TestADependencyThatWentFirst(t *testing.T) {
	missing := errors.New("Secret credentials is gone")
	system := newRegistry()
	w := newWorld(t, oneStep(func() reconcile.Step[*v1.MyApp] {
		return finalizer.Within(time.Hour, external(system)).LetGo()
	}))
	w.must("first pass")
	w.delete()
	w.live()
	w.clock.SetTime(w.app.DeletionTimestamp.Time)
	system.before = func(context.Context, string) error { return missing }
	if _, err := w.pass(); !errors.Is(err, missing) {
		t.Errorf("err = %v", err)
	}
	w.ready("it waits", metav1.ConditionFalse, "ObserveFailed", "deletion waits for dns: observe: Secret credentials is gone")
	w.quiet("it waits")
	w.clock.Step(time.Hour)
	if w.must("the deadline"); w.live() {
		t.Error("it was not let go")
	}
	told(t, w, "Warning LeftBehind: dns: not undone within 1h0m0s: observe: Secret credentials is gone; it is left behind")
}

// The object is deleted while a pass is on its way: the thing that was made is
// found and released, and nothing is put on an object that is being deleted.
func TestADeletionDuringAPass(t *testing.T) {
	for name, when := range map[string]string{"before the first write": "finalizers", "during the create": "create"} {
		t.Run(name, func(t *testing.T) {
			system := newRegistry()
			w := newExternalWorld(t, system)
			w.refuse = func(patch string) error {
				if strings.Contains(patch, `"finalizers":["`) && when == "finalizers" && w.live() {
					when = ""
					w.delete()
				}
				return nil
			}
			system.onCreate = func(run) error {
				if when == "create" {
					when = ""
					w.delete()
				}
				return nil
			}
			for range 3 {
				if _, err := w.pass(); err != nil {
					t.Error(err)
				}
			}
			if w.live() || len(system.values()) != 0 || system.made != system.removed {
				t.Errorf("left: %v, %d made, %d removed", system.values(), system.made, system.removed)
			}
			w.quiet("the end")
		})
	}
}

// Nothing is done for a cache that shows what is over (C31).
func TestAStaleCacheAfterTheEnd(t *testing.T) {
	system := newRegistry()
	w := newExternalWorld(t, system)
	w.must("first pass")
	w.live()
	w.past = append(w.past, w.app.DeepCopy())
	before := len(w.past)
	if err := w.user.Delete(t.Context(), w.app); err != nil {
		t.Fatal(err)
	}
	w.must("deletion")
	system.took()
	w.past, w.behind = w.past[:before], true
	w.must("the same process")
	w.called(system, "the same process")
	w.start()
	w.writes = nil
	_, _ = w.pass()
	w.called(system, "the next process asks, and makes nothing", "observe", "observe")
	w.wrote("the next process")
	if system.made != 1 {
		t.Errorf("%d were made", system.made)
	}
}
