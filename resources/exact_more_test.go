package resources_test

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
)

// deploymentInOrder has a list whose items have keys, and quantities that the
// server spells otherwise.
func deploymentInOrder(app *v1.MyApp) (*appsv1.Deployment, error) {
	child, err := desiredDeployment(app)
	container := &child.Spec.Template.Spec.Containers[0]
	container.Env = []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "$(A)2"}}
	container.Ports = []corev1.ContainerPort{{ContainerPort: 80}}
	container.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1000m")}
	child.Spec.Template.Spec.NodeSelector = map[string]string{}
	return child, err
}

// exactReordered has somebody put the items of a list in another order, of which
// the entry, which has their keys, tells nothing.
func exactReordered(t *testing.T) {
	b := newBench(t, resources.Ensure(deploymentInOrder).ReadyWhen(alwaysReady))
	b.want("first pass", reconcile.Continue)
	child := b.deployment()
	b.get(child)
	before := child.DeepCopy()
	slices.Reverse(child.Spec.Template.Spec.Containers[0].Env)
	b.update(child)
	if child.Spec.Template.Spec.Containers[0].Env[0].Name != "B" {
		t.Fatal("the order is as before")
	}
	sameEntry(t, before, child)
	b.caughtUp(child)
	b.writes()
	b.want("after the reordering", reconcile.Continue)
	b.wrote("it is repaired", "patch deployments web")
	b.get(child)
	if child.Spec.Template.Spec.Containers[0].Env[0].Name != "A" {
		t.Error("the order was not repaired")
	}
	b.quiet(child)
}

// exactServersForm has defaults, a quantity, the default of a list's key and an
// empty struct, which the server makes something else of.
func exactServersForm(t *testing.T) {
	b := newBench(t, resources.Ensure(deploymentInOrder).ReadyWhen(alwaysReady))
	b.want("first pass", reconcile.Continue)
	child := b.deployment()
	b.get(child)
	container := child.Spec.Template.Spec.Containers[0]
	if container.Ports[0].Protocol != corev1.ProtocolTCP || container.TerminationMessagePath == "" {
		t.Fatalf("the server filled in nothing: %+v", container)
	}
	b.quiet(child)
	child.Labels["theirs"] = "x" // moves the resourceVersion
	b.update(child)
	b.quiet(child)
	b.restart()
	b.quiet(child)
}

var relic = schema.GroupVersionKind{Group: "exact.example.com", Version: "v1", Kind: "Relic"}

// relicCRD is of a kind that has, or had, an older version beside v1.
func relicCRD(versions ...string) *apiextensionsv1.CustomResourceDefinition {
	crd := thingCRD("a")
	crd.Name = "relics.exact.example.com"
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: "relics", Singular: "relic", Kind: relic.Kind, ListKind: "RelicList"}
	version := crd.Spec.Versions[0]
	crd.Spec.Versions = nil
	for _, name := range versions {
		version.Name, version.Storage = name, name == relic.Version
		crd.Spec.Versions = append(crd.Spec.Versions, version)
	}
	return crd
}

// exactVersionRemoved has somebody's entry be in a version that the CRD does not
// have any more: the server cannot keep track of fields then, and writes to what
// the step owns leave all entries as they were. No apply gets through either, so
// that the step says what is wrong until the entry goes.
func exactVersionRemoved(t *testing.T) {
	user, err := client.New(cluster.Shared(t).Config(), client.Options{Scheme: scheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	crd := relicCRD("v1", "v1beta1")
	if err := user.Create(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*unstructured.Unstructured, error) {
		return &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": app.Name}, "spec": map[string]any{"a": "1"},
		}}, nil
	}).Kind(relic))
	b.Cleanup(func() { _ = b.User.Delete(b.background(), crd) })
	b.eventually("the kind is there", func(testContext) bool {
		result, err := b.pass()
		return err == nil && result == reconcile.Continue
	})
	named := func(version string) *unstructured.Unstructured {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(relic.GroupKind().WithVersion(version))
		object.SetName("web")
		object.SetNamespace(b.namespace)
		return object
	}
	old := named("v1beta1")
	b.get(old)
	old.SetAnnotations(map[string]string{"theirs": "x"})
	b.update(old)

	b.get(crd)
	crd.Spec.Versions = relicCRD("v1").Spec.Versions
	b.update(crd)
	child := named("v1")
	var before *unstructured.Unstructured
	b.eventually("the server does not know the version any more", func(testContext) bool {
		b.get(child)
		before = child.DeepCopy()
		_ = unstructured.SetNestedField(child.Object, "theirs", "spec", "a")
		b.update(child)
		return entryOf(before) == entryOf(child) && child.GetResourceVersion() != before.GetResourceVersion()
	})
	b.caughtUp(child)
	b.writes()
	_, err = b.pass()
	if err == nil || reconcile.IsTerminal(err) || !strings.Contains(err.Error(), "exact.example.com/v1beta1") {
		t.Errorf("err = %v, want the server's words, and to try again", err)
	}
	b.wrote("the change is noticed", "patch relics web")

	b.get(child)
	child.SetManagedFields(slices.DeleteFunc(child.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.APIVersion != relic.GroupVersion().String()
	}))
	b.update(child)
	b.caughtUp(child)
	b.want("when the entry is gone", reconcile.Continue)
	b.get(child)
	if got, _, _ := unstructured.NestedString(child.Object, "spec", "a"); got != "1" {
		t.Errorf("spec.a = %q, want it as desired", got)
	}
	b.quiet(child)
}

// entryOf returns what the step's field manager owns.
func entryOf(object client.Object) string {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == "test" && entry.Operation == metav1.ManagedFieldsOperationApply {
			return entry.FieldsV1.String()
		}
	}
	return ""
}
