package resources_test

import (
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	appsv1 "k8s.io/api/apps/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// freeze installs an admission policy that denies changes of the image of the
// ConfigMaps in the namespace, and waits until it is in force. It returns what
// lifts it.
func (b *bench) freeze() func() {
	b.Helper()
	name := b.namespace + "-freeze"
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: ptr.To(admissionregistrationv1.Fail),
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: b.namespace}},
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
				}}},
			},
			Validations: []admissionregistrationv1.Validation{{
				Expression: "object.data['image'] == oldObject.data['image']", Message: "change freeze until Monday",
			}},
		},
	}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	}
	b.create(policy)
	b.create(binding)
	lift := func() {
		_ = b.User.Delete(b.background(), binding)
		_ = b.User.Delete(b.background(), policy)
	}
	b.Cleanup(lift)
	probe := b.configMap()
	probe.Name, probe.Data = "probe", map[string]string{"image": "0"}
	b.create(probe)
	b.eventually("the policy is in force", func(ctx testContext) bool {
		b.get(probe)
		probe.Data["image"] += "0"
		err := b.User.Update(ctx, probe)
		return err != nil && strings.Contains(err.Error(), "change freeze")
	})
	return lift
}

// A denial by an admission policy has the code of an invalid request. It is no
// reason to delete anything, and it can be lifted, of which nothing tells.
func TestADenialIsRetriedAndNeverAReasonToRecreate(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap).Recreate())
	b.want("first pass", reconcile.Continue)
	child := b.configMap()
	b.get(child)
	b.caughtUp(child)
	lift := b.freeze()
	b.app.Spec.Image = "img:2"
	for range 2 {
		if _, err := b.pass(); err == nil || reconcile.IsTerminal(err) || !strings.Contains(err.Error(), "change freeze until Monday") {
			t.Errorf("err = %v, want the policy's words, to be retried", err)
		}
	}
	was := child.UID
	b.get(child)
	if child.UID != was || child.DeletionTimestamp != nil {
		t.Fatal("the child was deleted because a policy denied an update")
	}
	lift()
	b.eventually("the policy is lifted", func(testContext) bool {
		_, err := b.pass()
		return err == nil
	})
	b.get(child)
	if child.UID != was || child.Data["image"] != "img:2" {
		t.Errorf("child = %s %v, want the same one as desired", child.UID, child.Data)
	}
	b.quiet(child)
}

func TestSetKeepsWhatServesWhenItsSuccessorIsNotApplied(t *testing.T) {
	b := newBench(t, resources.EnsureSet(desiredWorkers))
	b.workers("old")
	b.want("first pass", reconcile.Continue)
	b.create(b.worker("new")) // nobody's
	b.allCaughtUp("old", "new")
	b.workers("new")
	if result, err := b.pass(); err != nil || result.Reason() != "NotControlled" {
		t.Fatalf("got %v, %v; want to wait", result, err)
	}
	b.have("the old one still serves", "web-old")
	b.quiet()
	if err := b.User.Delete(t.Context(), b.worker("new")); err != nil {
		t.Fatal(err)
	}
	b.allCaughtUp("new")
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	b.allCaughtUp("new", "old")
	b.want("then", reconcile.Continue)
	b.have("its successor has taken its place", "web-new")
	b.quiet()
}

func TestAChildThatIsRenamedBeforeTheCacheSawItIsNotOrphaned(t *testing.T) {
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web-" + app.Spec.Image}}, nil
	}))
	sighted := b.Environment.Client
	b.Environment.Client = blindFor(sighted, clientKey(b.worker("a")))
	b.app.Spec.Image = "a"
	b.want("first pass", reconcile.Continue)
	b.app.Spec.Image = "b"
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	b.Environment.Client = sighted
	b.allCaughtUp("a", "b")
	b.want("when the cache has caught up", reconcile.Continue)
	b.have("only the new one is there", "web-b")
	b.quiet()
}

func TestATerminatingNamespaceGetsOneAttempt(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap))
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	b.Environment.Clock = clock
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: b.namespace}}
	if err := b.User.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	b.writes()
	for range 10 {
		if result, err := b.pass(); err != nil || result.Reason() != "NamespaceTerminating" {
			t.Fatalf("got %v, %v; want to wait", result, err)
		}
	}
	b.wrote("one attempt (C63)", "patch configmaps web")
}

func TestWhatCanNeverBeAppliedIsTerminal(t *testing.T) {
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*appsv1.Deployment, error) {
		child, err := desiredDeployment(app)
		child.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "A", Value: "2"}}
		return child, err
	}))
	for range 2 {
		if _, err := b.pass(); !reconcile.IsTerminal(err) || !strings.Contains(err.Error(), "duplicate entries for key") {
			t.Errorf("err = %v, want a terminal one", err)
		}
	}
	b.wrote("it is sent once (C59)", "patch deployments web")
}

func TestAnOwnerReferenceOfTheAuthorsIsMergedWithOurs(t *testing.T) {
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		child, err := desiredConfigMap(app)
		child.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1.GroupVersion.String(), Kind: "MyApp", Name: app.Name, UID: app.UID}}
		return child, err
	}))
	b.want("first pass", reconcile.Continue)
	child := b.configMap()
	b.get(child)
	if len(child.OwnerReferences) != 1 || !metav1.IsControlledBy(child, b.app) {
		t.Errorf("owners = %v, want one, the controller", child.OwnerReferences)
	}
	b.quiet(child)
}

func TestAClusterScopedChildHasNoNamespace(t *testing.T) {
	b := newBench(t, resources.EnsureSet(func(app *v1.MyApp) ([]*rbacv1.ClusterRole, error) {
		return []*rbacv1.ClusterRole{{ObjectMeta: metav1.ObjectMeta{Name: app.Namespace + "-" + app.Name, Namespace: app.Namespace}}}, nil
	}).Detached("apps.example.com/roles"))
	b.want("first pass", reconcile.Continue)
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: b.namespace + "-web"}}
	b.Cleanup(func() { _ = b.User.Delete(b.background(), role) })
	b.quiet(role)
}

func TestRecreateOfAServiceWithANodePort(t *testing.T) {
	free := ""
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*corev1.Service, error) {
		child := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeNodePort, Ports: []corev1.ServicePort{{Port: 80, NodePort: 30123}},
		}}
		if app.Spec.Image == "img:2" {
			child.Spec.ClusterIP = free
		}
		return child, nil
	}).Recreate())
	b.want("first pass", reconcile.Continue)
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: b.namespace}}
	b.get(service)
	was := service.UID
	b.caughtUp(service)
	probe := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "probe", Namespace: b.namespace}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
	b.create(probe)
	free = probe.Spec.ClusterIP
	if err := b.User.Delete(t.Context(), probe); err != nil {
		t.Fatal(err)
	}
	b.app.Spec.Image = "img:2"
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	b.caughtUp(service)
	b.want("when it is gone", reconcile.Continue)
	b.get(service)
	if service.UID == was || service.Spec.ClusterIP != free {
		t.Errorf("service = %s %s, want a new one with the address", service.UID, service.Spec.ClusterIP)
	}
	b.quiet(service)
}

// An orphaning deletion takes the owner reference off the child. A cache that has
// not seen the deletion must not make the step put it back (C33).
func TestAdoptLeavesOrphansOfAnOwnerThatIsBeingDeleted(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap).Adopt())
	b.want("first pass", reconcile.Continue)
	child := b.configMap()
	b.get(child)
	seen := b.app.DeepCopy()
	b.app.Finalizers = []string{"example.com/hold"}
	b.update(b.app)
	if err := b.User.Delete(t.Context(), b.app); err != nil {
		t.Fatal(err)
	}
	child.OwnerReferences = nil // as the garbage collector does
	b.update(child)
	b.caughtUp(child)
	b.writes()
	deleted := b.app
	b.app = seen
	if result, err := b.pass(); err != nil || result.Reason() != "OwnerDeleted" {
		t.Errorf("got %v, %v; want to wait", result, err)
	}
	b.wrote("nothing")
	b.get(deleted)
	deleted.Finalizers = nil
	b.update(deleted)
}

func TestTwoStepsThatKeepOneObjectAreRefused(t *testing.T) {
	first, second := resources.Ensure(desiredConfigMap).Named("first"), resources.Ensure(desiredConfigMap).Named("second")
	b := newBench(t, reconcile.All(first, second))
	for range 2 {
		if _, err := b.pass(); !reconcile.IsTerminal(err) || !strings.Contains(err.Error(), "is kept by step first too") {
			t.Errorf("err = %v, want a terminal one that names both", err)
		}
	}
	b.wrote("the first has the object", "patch configmaps web")
}
