package resources_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
)

const relicGroup = "exact.example.com"

// relicCRD is of a kind that has, or had, an older version beside v1.
func relicCRD(plural, kind string, versions ...string) *apiextensionsv1.CustomResourceDefinition {
	crd := thingCRD("a", "b")
	crd.Name = plural + "." + relicGroup
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: kind}
	version := crd.Spec.Versions[0]
	crd.Spec.Versions = nil
	for _, name := range versions {
		version.Name, version.Storage = name, name == "v1"
		crd.Spec.Versions = append(crd.Spec.Versions, version)
	}
	return crd
}

// newRelicBench has a step keep an object, in v1, of a kind that has v1beta1 too.
func newRelicBench(t *testing.T, plural, kind string) (*bench, *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	user, err := client.New(cluster.Shared(t).Config(), client.Options{Scheme: scheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	crd := relicCRD(plural, kind, "v1", "v1beta1")
	if err := user.Create(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(schema.GroupVersionKind{Group: relicGroup, Version: "v1", Kind: kind + "List"})
	err = wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		return user.List(ctx, all) == nil, nil
	})
	if err != nil {
		t.Fatalf("the kind is not served: %v", err)
	}
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*unstructured.Unstructured, error) {
		return &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": app.Name}, "spec": map[string]any{"a": "1"},
		}}, nil
	}).Kind(schema.GroupVersionKind{Group: relicGroup, Version: "v1", Kind: kind}))
	b.Cleanup(func() { _ = b.User.Delete(b.background(), crd) })
	b.want("first pass", reconcile.Continue)
	return b, crd
}

// relic is the step's object, in a version of its kind.
func (b *bench) relic(kind, version string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: relicGroup, Version: version, Kind: kind})
	object.SetName("web")
	object.SetNamespace(b.namespace)
	return object
}

// removeVersion leaves only v1 of a kind.
func (b *bench) removeVersion(crd *apiextensionsv1.CustomResourceDefinition) {
	b.Helper()
	b.get(crd)
	crd.Spec.Versions = relicCRD(crd.Spec.Names.Plural, crd.Spec.Names.Kind, "v1").Spec.Versions
	b.update(crd)
}

// exactVersionRemoved has somebody's entry be in a version that the CRD does not
// have any more: the server cannot keep track of fields then, and writes to what
// the step owns leave all entries as they were. No apply gets through either, so
// that the step says what is wrong until the entry goes.
func exactVersionRemoved(t *testing.T) {
	b, crd := newRelicBench(t, "relics", "Relic")
	old := b.relic("Relic", "v1beta1")
	b.get(old)
	old.SetAnnotations(map[string]string{"theirs": "x"})
	b.update(old)

	b.removeVersion(crd)
	child := b.relic("Relic", "v1")
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
	_, err := b.pass()
	if err == nil || reconcile.IsTerminal(err) || !strings.Contains(err.Error(), "exact.example.com/v1beta1") {
		t.Errorf("err = %v, want the server's words, and to try again", err)
	}
	b.wrote("the change is noticed", "patch relics web")

	b.get(child)
	child.SetManagedFields(slices.DeleteFunc(child.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
		return entry.APIVersion != relicGroup+"/v1"
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

// exactOwnVersionRemoved has the step's own entry be in a version that the CRD
// does not have any more: an earlier version of the operator applied in that. The
// server applies nothing over such an entry, so that the step renews it.
func exactOwnVersionRemoved(t *testing.T) {
	b, crd := newRelicBench(t, "heirlooms", "Heirloom")
	child := b.relic("Heirloom", "v1")
	b.get(child)
	earlier := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": relicGroup + "/v1beta1", "kind": "Heirloom",
		"metadata": map[string]any{
			"name": "web", "namespace": b.namespace,
			"labels":          map[string]any{resources.StepLabel: "test.Heirloom"},
			"ownerReferences": ownerReferences(t, child),
		},
		"spec": map[string]any{"a": "1", "b": "dropped since"},
	}}
	if err := b.User.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(earlier), client.FieldOwner("test"), client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	b.removeVersion(crd)
	b.get(child)
	if version := versionOfEntry(child); version != relicGroup+"/v1beta1" {
		t.Fatalf("the entry is in %s", version)
	}
	b.caughtUp(child)
	probe := client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": relicGroup + "/v1", "kind": "Heirloom",
		"metadata": map[string]any{"name": "web", "namespace": b.namespace, "labels": map[string]any{"probe": "yes"}},
	}})
	b.eventually("the server applies nothing any more", func(ctx testContext) bool {
		err := b.User.Apply(ctx, probe, client.FieldOwner("probe"), client.DryRunAll)
		return err != nil && strings.Contains(err.Error(), relicGroup+"/v1beta1")
	})
	b.restart()
	b.writes()
	b.want("in which the entry is renewed", reconcile.Continue)
	b.wrote("the apply that is refused, the entry, the apply",
		"patch heirlooms web", "patch heirlooms web", "patch heirlooms web")
	b.get(child)
	if _, found, _ := unstructured.NestedString(child.Object, "spec", "b"); found {
		t.Error("what the step does not want any more is still there")
	}
	if version := versionOfEntry(child); version != relicGroup+"/v1" {
		t.Errorf("the entry is in %s, want it in that of the step", version)
	}
	b.quiet(child)
}

// versionOfEntry returns the version in which the step's field manager has applied.
func versionOfEntry(object client.Object) string {
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == "test" && entry.Operation == metav1.ManagedFieldsOperationApply {
			return entry.APIVersion
		}
	}
	return ""
}
