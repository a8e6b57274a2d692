package resources_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
)

func TestAdoptTakesOverWhatNobodyControls(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap).Adopt())
	theirs := b.configMap()
	theirs.Data = map[string]string{"image": "old", "theirs": "stays"}
	b.create(theirs)
	b.caughtUp(theirs)
	b.want("first pass", reconcile.Continue)
	b.wrote("one write", "patch configmaps web")
	child := b.configMap()
	b.get(child)
	if child.UID != theirs.UID || !metav1.IsControlledBy(child, b.app) {
		t.Errorf("owners = %v, want the MyApp on the same object", child.OwnerReferences)
	}
	if diff := cmp.Diff(map[string]string{"image": "img:1", "theirs": "stays"}, child.Data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	b.quiet(child)
}

func TestAdoptTakesNothingFromAnotherController(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap).Adopt())
	theirs := b.configMap()
	theirs.OwnerReferences = []metav1.OwnerReference{{APIVersion: "example.com/v1", Kind: "Other", Name: "x", UID: "x1", Controller: ptr.To(true)}}
	b.create(theirs)
	b.caughtUp(theirs)
	result, err := b.pass()
	if err != nil || result.Reason() != "NotControlled" {
		t.Errorf("got %v, %v; want to wait", result, err)
	}
	b.wrote("nothing")
	b.quiet(theirs)
}

func TestAnImmutableFieldIsRefusedByDefault(t *testing.T) {
	b := newBench(t, resources.Ensure(deploymentSelecting))
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	b.caughtUp(b.deployment())
	b.app.Spec.Image = "img:2"
	_, err := b.pass()
	if !reconcile.IsTerminal(err) || !strings.Contains(err.Error(), "spec.selector") {
		t.Errorf("err = %v, want a terminal one that names the field", err)
	}
	b.get(b.deployment())
}

// deploymentSelecting has the image in its selector, which cannot be changed.
func deploymentSelecting(app *v1.MyApp) (*appsv1.Deployment, error) {
	child, err := desiredDeployment(app)
	labels := map[string]string{"app": strings.ReplaceAll(app.Spec.Image, ":", "-")}
	child.Spec.Selector.MatchLabels, child.Spec.Template.Labels = labels, labels
	if app.Spec.Image == "img:bad" {
		child.Spec.Template.Spec.Containers[0].Name = "Not A Label"
	}
	return child, err
}

func TestRecreateDeletesWaitsAndCreates(t *testing.T) {
	b := newBench(t, resources.Ensure(deploymentSelecting).Recreate().ReadyWhen(alwaysReady))
	b.want("first pass", reconcile.Continue)
	child := b.deployment()
	b.get(child)
	was := child.UID
	child.Finalizers = []string{"example.com/hold"} // so that the deletion takes its time
	b.update(child)
	b.caughtUp(child)
	b.writes()

	b.app.Spec.Image = "img:2"
	result, err := b.pass()
	if err != nil || result.Reason() != "Recreating" {
		t.Fatalf("got %v, %v; want to wait", result, err)
	}
	b.wrote("the attempt, then the delete; the dry run in between writes nothing", "patch deployments web", "delete deployments web")
	b.caughtUp(child)
	b.restart() // a crash in between changes nothing
	result, err = b.pass()
	if err != nil || result.Outcome() != reconcile.Waiting {
		t.Fatalf("got %v, %v; want to wait until it is gone", result, err)
	}
	b.wrote("nothing while it is there")
	b.quiet(child)

	b.get(child)
	child.Finalizers = nil
	b.update(child)
	b.caughtUp(child)
	b.restart()
	b.want("when it is gone", reconcile.Continue)
	b.wrote("one create", "patch deployments web")
	b.get(child)
	if child.UID == was || child.Spec.Selector.MatchLabels["app"] != "img-2" {
		t.Errorf("child = %s %v, want a new one as desired", child.UID, child.Spec.Selector)
	}
	b.quiet(child)
}

func alwaysReady(*appsv1.Deployment) resources.Readiness { return resources.Readiness{Ready: true} }

func TestRecreateNeverDeletesWhatCouldNotBeMadeAgain(t *testing.T) {
	b := newBench(t, resources.Ensure(deploymentSelecting).Recreate().ReadyWhen(alwaysReady))
	b.want("first pass", reconcile.Continue)
	child := b.deployment()
	b.get(child)
	b.caughtUp(child)
	b.app.Spec.Image = "img:bad"
	_, err := b.pass()
	if !reconcile.IsTerminal(err) || !strings.Contains(err.Error(), "containers[0].name") {
		t.Errorf("err = %v, want what the dry run says", err)
	}
	was := child.ResourceVersion
	b.get(child)
	if child.ResourceVersion != was {
		t.Error("the child was touched")
	}
	b.writes()
	if _, err := b.pass(); err == nil {
		t.Error("the refusal is forgotten")
	}
	b.wrote("nothing is tried again")
}

func TestARenamedChildLeavesNoOrphan(t *testing.T) {
	step := resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		child, err := desiredConfigMap(app)
		child.Name = "web-" + strings.ReplaceAll(app.Spec.Image, ":", "-")
		return child, err
	})
	for name, restart := range map[string]bool{"in one process": false, "by a new version of the operator": true} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, step)
			b.want("first pass", reconcile.Continue)
			b.allCaughtUp("img-1")
			if restart {
				b.restart()
			}
			b.app.Spec.Image = "img:2"
			if _, err := b.pass(); err != nil {
				t.Fatal(err)
			}
			b.allCaughtUp("img-1", "img-2")
			b.want("then", reconcile.Continue)
			b.have("only the new one is there (C53)", "web-img-2")
			b.quiet()
		})
	}
}

// A child in another namespace, and a cluster-scoped one (C35).
func TestDetachedChildrenAreTiedByLabelAndCleanedUpByFinalizer(t *testing.T) {
	shared := cluster.Shared(t)
	elsewhere := shared.Namespace(t)
	configMap := resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: app.Namespace + "-" + app.Name, Namespace: elsewhere}}, nil
	}).Detached("apps.example.com/configmap")
	role := resources.Ensure(func(app *v1.MyApp) (*rbacv1.ClusterRole, error) {
		return &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: app.Namespace + "-" + app.Name}}, nil
	}).Detached("apps.example.com/clusterrole")
	b := newBenchIn(t, []string{elsewhere}, reconcile.All(configMap, role))

	b.want("first pass", reconcile.Continue)
	b.wrote("two writes", "patch configmaps "+b.namespace+"-web", "patch clusterroles "+b.namespace+"-web")
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: b.namespace + "-web", Namespace: elsewhere}}
	clusterRole := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: b.namespace + "-web"}}
	b.get(child)
	b.get(clusterRole)
	if len(child.OwnerReferences) != 0 || len(clusterRole.OwnerReferences) != 0 {
		t.Error("they carry owner references, by which the garbage collector would take them")
	}
	if child.Labels[resources.OwnerUIDLabel] != string(b.app.UID) || child.Annotations[resources.OwnerAnnotation] != b.namespace+"/web" {
		t.Errorf("labels %v, annotations %v: nothing ties it to its owner", child.Labels, child.Annotations)
	}
	b.quiet(child, clusterRole)

	about := configMap.Describe()
	if !slices.Equal(about.Finalizers, []string{"apps.example.com/configmap"}) || len(about.Owns) != 0 || len(about.Watches) != 2 {
		t.Errorf("description = %+v, want a finalizer, a watch of names and a mapped one", about)
	}

	run, err := reconcile.NewRun(b.Environment, "test", b.app)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []reconcile.Step[*v1.MyApp]{configMap, role} {
		if result, err := step.Finalize(t.Context(), run); err != nil || result != reconcile.Continue {
			t.Errorf("finalize: %v, %v", result, err)
		}
	}
	b.gone(child)
	b.gone(clusterRole)
	b.Requests.Reset()
	if result, err := configMap.Finalize(t.Context(), run); err != nil || result != reconcile.Continue {
		t.Errorf("finalize again: %v, %v", result, err)
	}
	b.wrote("nothing is left to delete (C27)")
}

func TestDetachedTakesNothingOver(t *testing.T) {
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		child, err := desiredConfigMap(app)
		child.Namespace = app.Namespace
		return child, err
	}).Detached("apps.example.com/x"))
	theirs := b.configMap()
	theirs.Labels = map[string]string{resources.OwnerUIDLabel: "another"}
	theirs.Annotations = map[string]string{resources.OwnerAnnotation: "other/web"}
	b.create(theirs)
	b.caughtUp(theirs)
	result, err := b.pass()
	if err != nil || result.Reason() == "" || !strings.Contains(result.Message(), "belongs to other/web") {
		t.Errorf("got %v, %v; want to wait and name the owner", result, err)
	}
	b.wrote("nothing")
	run, err := reconcile.NewRun(b.Environment, "test", b.app)
	if err != nil {
		t.Fatal(err)
	}
	if result, err := b.step.Finalize(t.Context(), run); err != nil || result != reconcile.Continue {
		t.Errorf("finalize: %v, %v", result, err)
	}
	b.get(theirs)
	b.quiet(theirs)
}
