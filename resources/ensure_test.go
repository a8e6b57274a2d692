package resources_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

func TestEnsureCreatesOwnsAndGoesQuiet(t *testing.T) {
	step := resources.Ensure(desiredConfigMap)
	b := newBench(t, step)
	result, run, err := b.run()
	if err != nil || result != reconcile.Continue {
		t.Fatalf("first pass: %v, %v", result, err)
	}
	if sent := b.Requests.All(); len(sent) != 1 {
		t.Errorf("the first pass sent %v, want the one request that creates the child", sent)
	}
	b.wrote("one request creates the child", "patch configmaps web")
	child := b.configMap()
	b.get(child)
	owner := metav1.GetControllerOf(child)
	if owner == nil || owner.UID != b.app.UID || owner.Kind != "MyApp" || owner.APIVersion != v1.GroupVersion.String() {
		t.Errorf("controller = %v, want the MyApp", owner)
	}
	if got := child.Labels[resources.StepLabel]; got != "test.ConfigMap" {
		t.Errorf("label %s = %q, want the pipeline and the step", resources.StepLabel, got)
	}
	seen, ok := step.Observed(run)
	if !ok || seen.UID != child.UID {
		t.Errorf("Observed = %v, %v; want the child that was made", seen, ok)
	}
	if child.ManagedFields[0].Manager != "test" || child.ManagedFields[0].Operation != metav1.ManagedFieldsOperationApply {
		t.Errorf("managed fields %v, want them applied by the pipeline", child.ManagedFields)
	}
	b.quiet(child)
}

func TestEnsureAppliesOnlyWhatTheAuthorSet(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredDeployment))
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	child := b.deployment()
	b.get(child)
	owned := child.ManagedFields[0].FieldsV1.String()
	for _, field := range []string{"f:strategy", "f:resources", "f:creationTimestamp", "f:status"} {
		if strings.Contains(owned, field) {
			t.Errorf("the step owns %s, which its author did not set: %s", field, owned)
		}
	}
	b.quiet(child)
}

func TestEnsureUpdatesInOneWrite(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap))
	b.want("first pass", reconcile.Continue)
	b.caughtUp(b.configMap())
	b.writes()
	b.app.Spec.Image = "img:2"
	b.want("after a change", reconcile.Continue)
	b.wrote("one request updates the child", "patch configmaps web")
	child := b.configMap()
	b.get(child)
	if child.Data["image"] != "img:2" {
		t.Errorf("data = %v, want the new image", child.Data)
	}
	b.quiet(child)
}

func TestEnsureRepairsDriftAndKeepsOthersFields(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap))
	b.want("first pass", reconcile.Continue)
	child := b.configMap()
	b.get(child)
	child.Data["image"] = "tampered"
	child.Data["theirs"] = "stays"
	child.Labels["theirs"] = "stays"
	b.update(child)
	b.caughtUp(child)
	b.writes()
	b.want("after the drift", reconcile.Continue)
	b.wrote("one request repairs it", "patch configmaps web")
	b.get(child)
	if diff := cmp.Diff(map[string]string{"image": "img:1", "theirs": "stays"}, child.Data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	if child.Labels["theirs"] != "stays" {
		t.Errorf("labels = %v, want the other's to stay", child.Labels)
	}
	b.quiet(child)
}

func TestEnsureRemovesAFieldThatItsAuthorNoLongerSets(t *testing.T) {
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		child, err := desiredConfigMap(app)
		if app.Spec.Image == "img:1" {
			child.Data["extra"] = "x"
		}
		return child, err
	}))
	b.want("first pass", reconcile.Continue)
	b.caughtUp(b.configMap())
	b.app.Spec.Image = "img:2"
	b.want("second pass", reconcile.Continue)
	child := b.configMap()
	b.get(child)
	if diff := cmp.Diff(map[string]string{"image": "img:2"}, child.Data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	b.quiet(child)
}

func TestEnsureRecreatesAChildThatWasDeleted(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap))
	b.want("first pass", reconcile.Continue)
	child := b.configMap()
	b.get(child)
	was := child.UID
	if err := b.User.Delete(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	b.caughtUp(child)
	b.writes()
	b.want("after the deletion", reconcile.Continue)
	b.wrote("one request makes it again", "patch configmaps web")
	b.get(child)
	if child.UID == was {
		t.Error("the child is the old one")
	}
	b.quiet(child)
}

func TestEnsureTrustsItsOwnWriteWhileTheCacheIsBehind(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap))
	b.want("first pass", reconcile.Continue)
	b.writes()
	for range 5 { // some of these passes meet a cache that has not seen the child
		b.want("at once", reconcile.Continue)
	}
	b.wrote("nothing is written twice")
	b.quiet(b.configMap())
}

func TestEnsureLeavesTheAuthorsObjectAlone(t *testing.T) {
	template := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Data: map[string]string{"k": "v"}}
	initial := template.DeepCopy()
	b := newBench(t, resources.Ensure(func(*v1.MyApp) (*corev1.ConfigMap, error) { return template, nil }))
	b.want("first pass", reconcile.Continue)
	child := b.configMap()
	b.get(child)
	if err := b.User.Delete(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	b.caughtUp(child)
	b.want("it can be made again (C73)", reconcile.Continue)
	if diff := cmp.Diff(initial, template); diff != "" {
		t.Errorf("the template was changed (-want +got):\n%s", diff)
	}
	b.quiet(child)
}

func TestObservedIsTheCallersToKeep(t *testing.T) {
	step := resources.Ensure(desiredConfigMap)
	b := newBench(t, step)
	b.want("first pass", reconcile.Continue)
	b.caughtUp(b.configMap())
	_, run, err := b.run()
	if err != nil {
		t.Fatal(err)
	}
	seen, _ := step.Observed(run)
	seen.Data["image"] = "scribbled"
	cached := b.configMap()
	if err := b.Environment.Client.Get(t.Context(), clientKey(cached), cached); err != nil {
		t.Fatal(err)
	}
	if cached.Data["image"] != "img:1" {
		t.Error("a change to what Observed returned reached the cache")
	}
	b.quiet(b.configMap())
}

func TestEnsureUnstructured(t *testing.T) {
	step := resources.Ensure(func(app *v1.MyApp) (*unstructured.Unstructured, error) {
		return &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": app.Name},
			"data":     map[string]any{"image": app.Spec.Image},
		}}, nil
	}).Kind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
	b := newBench(t, step)
	b.want("first pass", reconcile.Continue)
	b.wrote("one request creates it", "patch configmaps web")
	b.eventually("the cache of unstructured objects shows it", func(context testContext) bool {
		cached := &unstructured.Unstructured{}
		cached.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
		return b.Environment.Cache.Get(context, clientKey(b.configMap()), cached) == nil
	})
	b.quiet()
}

func TestEnsureFailsWithTheAuthorsError(t *testing.T) {
	boom := reconcile.WithReason("InvalidSpec", reconcile.Terminal(errors.New("port names clash")))
	b := newBench(t, resources.Ensure(func(*v1.MyApp) (*appsv1.Deployment, error) { return nil, boom }))
	_, run, err := b.run()
	if !errors.Is(err, boom) || !reconcile.IsTerminal(err) {
		t.Errorf("err = %v, want the author's, terminal", err)
	}
	if got := run.Reports()[0]; got.Reason != "InvalidSpec" || got.State != reconcile.StateStalled {
		t.Errorf("report = %+v", got)
	}
	b.wrote("nothing is sent")
}

func TestEnsureWaitsUntilTheChildIsReady(t *testing.T) {
	step := resources.Ensure(desiredDeployment)
	b := newBench(t, step)
	// Nothing rolls it out on a server without controllers.
	b.want("a Deployment without pods", reconcile.Wait("LatestGenerationNotObserved", "its controller has not seen its latest generation yet"))
	child := b.deployment()
	b.get(child)
	b.quiet(child)

	child.Status = appsv1.DeploymentStatus{
		ObservedGeneration: 1, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
		Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue},
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"},
		},
	}
	if err := b.User.Status().Update(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	b.caughtUp(child)
	b.want("a Deployment that is rolled out", reconcile.Continue)
	b.caughtUp(child)
	b.quiet(child)
}

func TestReadyWhenReplacesTheTest(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap).ReadyWhen(func(child *corev1.ConfigMap) resources.Readiness {
		return resources.Readiness{Ready: child.Data["ready"] == "yes", Reason: "NotSaid", Message: "nobody said yes"}
	}))
	b.want("the test says no", reconcile.Wait("NotSaid", "nobody said yes"))
	child := b.configMap()
	b.get(child)
	child.Data["ready"] = "yes"
	b.update(child)
	b.caughtUp(child)
	b.want("the test says yes", reconcile.Continue)
	b.quiet(child)
}
