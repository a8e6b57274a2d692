package resources_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// Drift that a comparison of less than the whole would skip, above all cases in
// which the managedFields entry of the field manager stays the same while a field
// that it owns changes; and cases that no apply can mend, in which there must be
// no loop.
func TestExact(t *testing.T) {
	t.Run("a mutating admission policy acts on somebody else's write", exactMutatingPolicy)
	t.Run("the items of a list are put in another order", exactReordered)
	t.Run("the items of a set are put in another order", exactReorderedSet)
	t.Run("the same manager writes the same fields within a second", exactSameManager)
	t.Run("somebody writes a Secret's stringData", exactStringData)
	t.Run("a field is pruned after a change of the CRD", exactPruned)
	t.Run("field tracking fails after a version of the CRD was removed", exactVersionRemoved)
	t.Run("the step's own entry is in a version of the CRD that was removed", exactOwnVersionRemoved)
	t.Run("the server has a form of its own for what is applied", exactServersForm)
	t.Run("the server undoes what is applied", exactCannotConverge)
}

// sameEntry fails the test if the entry of the field manager is not the same in
// both: the case would not be the one that it stands for.
func sameEntry(t *testing.T, before, after client.Object) {
	t.Helper()
	if diff := cmp.Diff(entryOf(before), entryOf(after)); diff != "" {
		t.Fatalf("the entry tells of the change (-before +after):\n%s", diff)
	}
}

func exactMutatingPolicy(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap))
	// The policy meddles with the image when somebody pokes the object.
	b.mutate("poke", `has(object.metadata.labels.poke) && !has(oldObject.metadata.labels.poke)`,
		`Object{data: {"image": "mutated"}}`)
	b.want("first pass", reconcile.Continue)
	child := b.configMap()
	b.get(child)
	before := child.DeepCopy()
	b.eventually("the policy is in force", func(testContext) bool {
		b.get(child)
		delete(child.Labels, "poke")
		b.update(child)
		child.Labels["poke"] = "yes"
		b.update(child)
		return child.Data["image"] == "mutated"
	})
	sameEntry(t, before, child)
	b.caughtUp(child)
	b.writes()
	b.want("after the meddling", reconcile.Continue)
	b.wrote("it is repaired", "patch configmaps web")
	b.get(child)
	if child.Data["image"] != "img:1" {
		t.Errorf("data = %v, want it as desired", child.Data)
	}
	b.quiet(child)
}

// mutate installs a mutating admission policy for the ConfigMaps of the
// namespace.
func (b *bench) mutate(name, when, expression string) {
	b.Helper()
	name = b.namespace + "-" + name
	policy := &admissionregistrationv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			FailurePolicy:      ptr.To(admissionregistrationv1.Fail),
			ReinvocationPolicy: admissionregistrationv1.NeverReinvocationPolicy,
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: b.namespace}},
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
				}}},
			},
			MatchConditions: []admissionregistrationv1.MatchCondition{{Name: "when", Expression: when}},
			Mutations: []admissionregistrationv1.Mutation{{
				PatchType:          admissionregistrationv1.PatchTypeApplyConfiguration,
				ApplyConfiguration: &admissionregistrationv1.ApplyConfiguration{Expression: expression},
			}},
		},
	}
	binding := &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: name},
	}
	b.create(policy)
	b.create(binding)
	b.Cleanup(func() {
		ctx := b.background()
		_ = b.User.Delete(ctx, binding)
		_ = b.User.Delete(ctx, policy)
	})
}

func exactSameManager(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap))
	b.want("first pass", reconcile.Continue)
	child := b.configMap()
	b.get(child)
	before := child.DeepCopy()
	// Another process of that name, such as a second replica of the operator or a
	// person who debugs it, applies the same fields with another value.
	if err := b.User.Apply(t.Context(), applyOf(t, child, "other"), client.FieldOwner("test"), client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	b.get(child)
	if child.Data["image"] != "other" {
		t.Fatalf("data = %v", child.Data)
	}
	sameEntry(t, before, child)
	b.caughtUp(child)
	b.writes()
	b.want("after the other's write", reconcile.Continue)
	b.wrote("it is repaired", "patch configmaps web")
	b.quiet(child)
}

// applyOf returns what the step applies to a ConfigMap, with another image.
func applyOf(t *testing.T, child *corev1.ConfigMap, image string) runtime.ApplyConfiguration {
	t.Helper()
	return client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{
			"name": child.Name, "namespace": child.Namespace,
			"labels":          map[string]any{resources.StepLabel: child.Labels[resources.StepLabel]},
			"ownerReferences": ownerReferences(t, child),
		},
		"data": map[string]any{"image": image},
	}})
}

func ownerReferences(t *testing.T, child client.Object) []any {
	t.Helper()
	owner := child.GetOwnerReferences()[0]
	return []any{map[string]any{
		"apiVersion": owner.APIVersion, "kind": owner.Kind, "name": owner.Name, "uid": string(owner.UID),
		"controller": *owner.Controller, "blockOwnerDeletion": *owner.BlockOwnerDeletion,
	}}
}

func exactStringData(t *testing.T) {
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*corev1.Secret, error) {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: app.Name}, StringData: map[string]string{"password": "right"}}, nil
	}))
	b.want("first pass", reconcile.Continue)
	child := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: b.namespace}}
	b.get(child)
	before := child.DeepCopy()
	// An apply is merged, and who owns what is noted, before stringData goes into data.
	theirs := client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata":   map[string]any{"name": child.Name, "namespace": child.Namespace},
		"stringData": map[string]any{"password": "wrong"},
	}})
	if err := b.User.Apply(t.Context(), theirs, client.FieldOwner("somebody")); err != nil {
		t.Fatal(err)
	}
	b.get(child)
	sameEntry(t, before, child)
	if string(child.Data["password"]) != "wrong" {
		t.Fatalf("data = %v", child.Data)
	}
	b.caughtUp(child)
	b.writes()
	b.want("after somebody's write", reconcile.Continue)
	b.wrote("it is repaired", "patch secrets web")
	b.get(child)
	if string(child.Data["password"]) != "right" {
		t.Errorf("password = %q, want it as desired", child.Data["password"])
	}
	b.quiet(child)
}

// thing is a kind of the test's own, whose schema changes under way.
var thing = schema.GroupVersionKind{Group: "exact.example.com", Version: "v1", Kind: "Thing"}

func thingCRD(fields ...string) *apiextensionsv1.CustomResourceDefinition {
	properties := map[string]apiextensionsv1.JSONSchemaProps{}
	for _, field := range fields {
		properties[field] = apiextensionsv1.JSONSchemaProps{Type: "string"}
	}
	text := &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "string"}}
	properties["atoms"] = apiextensionsv1.JSONSchemaProps{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{
		Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"name": {Type: "string"},
			"mode": {Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"usual"`)}},
		}},
	}}
	properties["members"] = apiextensionsv1.JSONSchemaProps{Type: "array", Items: text, XListType: ptr.To("set")}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "things.exact.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: thing.Group,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: thing.Kind, ListKind: "ThingList"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: thing.Version, Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type:       "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": {Type: "object", Properties: properties}},
				}},
			}},
		},
	}
}

// The server drops a field that the CRD no longer has at the next write of
// anybody, and the entry keeps it. The step notices and says what is wrong.
func exactPruned(t *testing.T) {
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*unstructured.Unstructured, error) {
		return &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": app.Name},
			"spec":     map[string]any{"a": "1", "b": "2"},
		}}, nil
	}).Kind(thing))
	crd := thingCRD()
	child := &unstructured.Unstructured{}
	child.SetGroupVersionKind(thing)
	child.SetName("web")
	child.SetNamespace(b.namespace)
	b.want("first pass", reconcile.Continue)
	b.get(child)
	before := child.DeepCopy()

	b.get(crd)
	crd.Spec.Versions = thingCRD("a").Spec.Versions
	b.update(crd)
	b.eventually("the field is dropped at somebody's write", func(testContext) bool {
		b.get(child)
		child.SetLabels(map[string]string{"touched": time.Now().Format("150405.000"), resources.StepLabel: "test.Thing"})
		b.update(child)
		_, found, _ := unstructured.NestedString(child.Object, "spec", "b")
		return !found
	})
	sameEntry(t, before, child)
	b.caughtUp(child)
	b.writes()
	_, err := b.pass()
	if err == nil || reconcile.IsTerminal(err) || !strings.Contains(err.Error(), ".spec.b: field not declared in schema") {
		t.Errorf("err = %v, want the server's words, and to try again: the CRD may be upgraded", err)
	}
	b.get(crd)
	crd.Spec.Versions = thingCRD("a", "b").Spec.Versions
	b.update(crd)
	b.eventually("the CRD has the field again", func(testContext) bool {
		_, err := b.pass()
		return err == nil
	})
	b.get(child)
	if got, _, _ := unstructured.NestedString(child.Object, "spec", "b"); got != "2" {
		t.Errorf("spec.b = %q, want it as desired", got)
	}
	b.caughtUp(child)
	b.quiet()
}

// exactCannotConverge has an admission policy that overrides what is applied, on
// every write. The answer is what is remembered, so there is no loop.
func exactCannotConverge(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap))
	b.mutate("override", "true", `Object{data: {"image": "overridden"}}`)
	probe := b.configMap()
	probe.Name = "probe"
	b.eventually("the policy is in force", func(ctx testContext) bool {
		_ = b.User.Delete(ctx, probe)
		probe.ResourceVersion, probe.UID, probe.Data = "", "", nil
		b.create(probe)
		return probe.Data["image"] == "overridden"
	})
	b.want("first pass", reconcile.Continue)
	b.wrote("one write", "patch configmaps web")
	child := b.configMap()
	b.get(child)
	if child.Data["image"] != "overridden" {
		t.Fatalf("data = %v: the policy does not act", child.Data)
	}
	b.quiet(child)
	child.Labels["theirs"] = "x"
	b.update(child)
	b.quiet(child)
}
