package resources_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

const keepsakeOwners = 16

// Sixteen workers over as many owners, while the CRD of what they keep loses a field
// and then a version, in which others and an earlier operator have written: whatever
// the entries do not tell is repaired when the server can, and then it is quiet.
func TestExactWithManyWorkersWhileTheKindChanges(t *testing.T) {
	k := newKeepsakes(t)
	k.eventually("all is made", k.allAre("1", "2"))

	k.setVersions("v1", "v1beta1")("a")
	k.eventually("the field is dropped at somebody's writes", func(ctx context.Context) bool {
		k.each(`{"metadata":{"labels":{"touched":"` + time.Now().Format("150405.000") + `"}}}`)
		return k.allAre("1", "")(ctx)
	})
	k.setVersions("v1", "v1beta1")("a", "b")
	k.eventually("the field is there again", k.allAre("1", "2"))

	k.writeInTheOldVersion()
	k.setVersions("v1")("a", "b")
	k.eventually("the server does not know the version any more", func(ctx context.Context) bool {
		old := &unstructured.UnstructuredList{}
		old.SetGroupVersionKind(k.kind.GroupKind().WithVersion("v1beta1"))
		return k.User.List(ctx, old) != nil && k.losesTrack(ctx)
	})
	k.each(`{"spec":{"a":"theirs"}}`)
	k.eventually("those are repaired that an earlier operator has written", func(context.Context) bool {
		for i := 1; i < keepsakeOwners; i += 2 {
			if a, _, _ := unstructured.NestedString(k.get(fmt.Sprintf("app-%02d", i)).Object, "spec", "a"); a != "1" {
				return false
			}
		}
		return true
	})
	k.dropTheOldEntries()
	k.eventually("all is repaired", k.allAre("1", "2"))
	k.quiet()
}

// keepsakes are objects of a kind of the test's own, one for each of several owners.
type keepsakes struct {
	*bench
	kind     schema.GroupVersionKind
	apps     []*v1.MyApp
	requests *steptest.Requests
	passes   atomic.Int64
}

func newKeepsakes(t *testing.T) *keepsakes {
	t.Helper()
	k := &keepsakes{
		bench:    newBench(t, resources.Ensure(desiredConfigMap)),
		kind:     schema.GroupVersionKind{Group: relicGroup, Version: "v1", Kind: "Keepsake"},
		requests: &steptest.Requests{},
	}
	if err := k.User.Delete(t.Context(), k.app); err != nil {
		t.Fatal(err)
	}
	crd := relicCRD("keepsakes", "Keepsake", "v1", "v1beta1")
	k.create(crd)
	k.Cleanup(func() { _ = k.User.Delete(k.background(), crd) })
	k.eventually("the kind is served", func(ctx context.Context) bool { return k.User.List(ctx, k.list()) == nil })
	mgr := steptest.NewManager(t, k.requests.Attach(cluster.Shared(t).Config()), scheme(t), k.namespace)
	pipeline := reconcile.NewPipeline("keepsakes", reconcile.Sequence(
		reconcile.Func("count", func(context.Context, *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
			k.passes.Add(1)
			return reconcile.Continue, nil
		}),
		resources.Ensure(func(app *v1.MyApp) (*unstructured.Unstructured, error) {
			return &unstructured.Unstructured{Object: map[string]any{
				"metadata": map[string]any{"name": app.Name}, "spec": map[string]any{"a": "1", "b": "2"},
			}}, nil
		}).Kind(k.kind),
	))
	if err := pipeline.SetupWithManager(mgr, func(build *builder.Builder) {
		build.WithOptions(controller.Options{MaxConcurrentReconciles: stressWorkers})
	}); err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)
	for i := range keepsakeOwners {
		k.apps = append(k.apps, k.other(fmt.Sprintf("app-%02d", i)))
	}
	return k
}

func (k *keepsakes) list() *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(k.kind.GroupVersion().WithKind("KeepsakeList"))
	return list
}

// get reads the keepsake of an owner.
func (k *keepsakes) get(name string) *unstructured.Unstructured {
	k.Helper()
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(k.kind)
	if err := k.User.Get(k.Context(), client.ObjectKey{Namespace: k.namespace, Name: name}, object); err != nil {
		k.Fatal(err)
	}
	return object
}

// allAre reports whether each owner has a keepsake with these fields.
func (k *keepsakes) allAre(a, b string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		list := k.list()
		if err := k.User.List(ctx, list, client.InNamespace(k.namespace)); err != nil {
			return false
		}
		list.Items = slices.DeleteFunc(list.Items, func(object unstructured.Unstructured) bool { return object.GetName() == "probe" })
		return len(list.Items) == keepsakeOwners && !slices.ContainsFunc(list.Items, func(object unstructured.Unstructured) bool {
			gotA, _, _ := unstructured.NestedString(object.Object, "spec", "a")
			gotB, _, _ := unstructured.NestedString(object.Object, "spec", "b")
			return gotA != a || gotB != b
		})
	}
}

// each has somebody patch every keepsake.
func (k *keepsakes) each(patch string) {
	k.Helper()
	for _, app := range k.apps {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(k.kind)
		object.SetNamespace(k.namespace)
		object.SetName(app.Name)
		err := k.User.Patch(k.Context(), object, client.RawPatch(types.MergePatchType, []byte(patch)), client.FieldOwner("somebody"))
		if err != nil {
			k.Fatal(err)
		}
	}
}

// setVersions changes the versions of the CRD, and their fields.
func (k *keepsakes) setVersions(versions ...string) func(fields ...string) {
	return func(fields ...string) {
		k.Helper()
		crd := relicCRD("keepsakes", "Keepsake", versions...)
		live := relicCRD("keepsakes", "Keepsake", versions...)
		k.bench.get(live)
		for i := range crd.Spec.Versions {
			crd.Spec.Versions[i].Schema = thingCRD(fields...).Spec.Versions[0].Schema
		}
		live.Spec.Versions = crd.Spec.Versions
		k.update(live)
	}
}

// writeInTheOldVersion has half of the keepsakes written by somebody, and half
// applied by an earlier version of the operator, both in v1beta1.
func (k *keepsakes) writeInTheOldVersion() {
	k.Helper()
	old := k.kind.GroupKind().WithVersion("v1beta1")
	probe := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "probe", "namespace": k.namespace}, "spec": map[string]any{"a": "1"},
	}}
	probe.SetGroupVersionKind(old)
	k.create(probe)
	for i, app := range k.apps {
		child := k.get(app.Name)
		if i%2 == 0 {
			child.SetGroupVersionKind(old)
			patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"theirs":"x"}}}`))
			if err := k.User.Patch(k.Context(), child, patch, client.FieldOwner("ancient")); err != nil {
				k.Fatal(err)
			}
			continue
		}
		earlier := &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{
				"name": app.Name, "namespace": k.namespace,
				"labels": map[string]any{resources.StepLabel: "keepsakes.Keepsake"}, "ownerReferences": ownerReferences(k.T, child),
			},
			"spec": map[string]any{"a": "1", "b": "2"},
		}}
		earlier.SetGroupVersionKind(old)
		if err := k.User.Apply(k.Context(), client.ApplyConfigurationFromUnstructured(earlier), client.FieldOwner("keepsakes"), client.ForceOwnership); err != nil {
			k.Fatal(err)
		}
	}
}

// losesTrack reports whether the server keeps the entries as they are when somebody
// writes to what they own. It is found out with an object of nobody's, because who
// meddles with a step's object too often is backed off from.
func (k *keepsakes) losesTrack(ctx context.Context) bool {
	k.Helper()
	now := time.Now().Format("150405.000")
	before, after := k.get("probe"), k.get("probe")
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"a":"`+now+`"}}`))
	if err := k.User.Patch(ctx, after, patch, client.FieldOwner("probe-"+now)); err != nil {
		k.Fatal(err)
	}
	return equality.Semantic.DeepEqual(before.GetManagedFields(), after.GetManagedFields())
}

// dropTheOldEntries takes out what somebody has written in a version that is no more.
func (k *keepsakes) dropTheOldEntries() {
	k.Helper()
	for i := 0; i < keepsakeOwners; i += 2 {
		k.eventually("the entry is gone", func(ctx context.Context) bool {
			child := k.get(fmt.Sprintf("app-%02d", i))
			child.SetManagedFields(slices.DeleteFunc(child.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool {
				return entry.APIVersion != relicGroup+"/v1"
			}))
			return k.User.Update(ctx, child) == nil
		})
	}
}

// quiet wakes every owner by what makes no difference.
func (k *keepsakes) quiet() {
	k.Helper()
	k.eventually("a round of passes that send nothing", func(ctx context.Context) bool {
		k.requests.Reset()
		before := k.passes.Load()
		for _, app := range k.apps {
			woken := fmt.Sprintf(`{"metadata":{"annotations":{"woken":"%d"}}}`, before)
			if err := k.User.Patch(ctx, app, client.RawPatch(types.MergePatchType, []byte(woken))); err != nil {
				k.Fatal(err)
			}
		}
		k.eventually("all have had their pass", func(context.Context) bool { return k.passes.Load() >= before+keepsakeOwners })
		for _, request := range k.requests.All() {
			if request.Resource != "leases" && request.Verb != "watch" && !strings.HasPrefix(request.Resource, "events") {
				return false // what was going on when the last one was repaired
			}
		}
		return true
	})
}
