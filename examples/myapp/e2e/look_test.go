package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// kinds are what the operator makes of MyApps.
var kinds = []schema.GroupVersionKind{
	{Group: "apps", Version: "v1", Kind: "Deployment"},
	{Version: "v1", Kind: "Service"},
	{Version: "v1", Kind: "ConfigMap"},
	{Version: "v1", Kind: "ServiceAccount"},
	{Group: "networking.k8s.io", Version: "v1", Kind: "Ingress"},
	{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"},
	{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"},
	{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"},
}

// sight is what there is in a namespace.
type sight struct {
	apps     map[string]*v1.MyApp
	children []unstructured.Unstructured // what MyApps own, or have owned
}

func (w *world) look(namespace string) sight {
	w.Helper()
	list := &v1.MyAppList{}
	w.must(w.client.List(w.Context(), list, client.InNamespace(namespace)))
	seen := sight{apps: map[string]*v1.MyApp{}}
	for i := range list.Items {
		seen.apps[list.Items[i].Name] = &list.Items[i]
	}
	for _, kind := range kinds {
		objects := &unstructured.UnstructuredList{}
		objects.SetGroupVersionKind(kind)
		w.must(w.client.List(w.Context(), objects, client.InNamespace(namespace)))
		for _, object := range objects.Items {
			if object.GetLabels()["app.kubernetes.io/name"] == "myapp" || ownerOf(&object) != "" {
				seen.children = append(seen.children, object)
			}
		}
	}
	return seen
}

// ownerOf returns the UID of the MyApp that controls an object.
func ownerOf(object client.Object) types.UID {
	if owner := metav1.GetControllerOf(object); owner != nil && owner.Kind == "MyApp" {
		return owner.UID
	}
	return ""
}

// orphans returns what no MyApp that is there owns.
func (s sight) orphans() []string {
	alive := map[types.UID]bool{}
	for _, app := range s.apps {
		alive[app.UID] = true
	}
	var orphans []string
	for i := range s.children {
		if !alive[ownerOf(&s.children[i])] {
			orphans = append(orphans, s.children[i].GetKind()+" "+s.children[i].GetName())
		}
	}
	return orphans
}

// duplicates returns what a MyApp has more than one of.
func (s sight) duplicates() []string {
	had := map[string]bool{}
	var duplicates []string
	for i := range s.children {
		key := s.children[i].GetKind() + string(ownerOf(&s.children[i]))
		if had[key] {
			duplicates = append(duplicates, s.children[i].GetKind()+" "+s.children[i].GetName())
		}
		had[key] = true
	}
	return duplicates
}

// awaitAlike waits until two namespaces have exactly the wanted MyApps, and what
// was made of them is the same in both.
func (w *world) awaitAlike(namespace, other string, wanted map[string]v1.MyAppSpec) {
	w.Helper()
	w.awaitNowAndThen(namespace+" is like "+other, func() error {
		one, two := w.look(namespace), w.look(other)
		for name, spec := range wanted {
			if app := one.apps[name]; app == nil || !equality.Semantic.DeepEqual(app.Spec, spec) {
				return fmt.Errorf("MyApp %s is %+v", name, app)
			}
		}
		if len(one.apps) != len(wanted) {
			return fmt.Errorf("%d MyApps, want %d", len(one.apps), len(wanted))
		}
		return differ(two.plain(), one.plain())
	})
}

// differ returns an error that tells what there is to tell of the first difference.
func differ(want, got map[string]any) error {
	both := maps.Clone(want)
	maps.Copy(both, got)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if diff := cmp.Diff(want[name], got[name]); diff != "" {
			return fmt.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	return nil
}

// plain returns all that there is, by kind and name, without what differs between
// two objects that are alike.
func (s sight) plain() map[string]any {
	plain := map[string]any{}
	for i := range s.children {
		object := &s.children[i]
		plain[object.GetKind()+" "+object.GetName()] = plainChild(object, s.apps[object.GetName()])
	}
	for name, app := range s.apps {
		status := app.Status.DeepCopy()
		for i := range status.Conditions {
			status.Conditions[i].LastTransitionTime = metav1.Time{}
			status.Conditions[i].ObservedGeneration -= app.Generation // 0 if it is about the latest
			if isScaled(app) {
				status.Conditions[i] = metav1.Condition{Type: status.Conditions[i].Type, ObservedGeneration: status.Conditions[i].ObservedGeneration}
			}
		}
		status.ObservedGeneration -= app.Generation
		if isScaled(app) {
			status.Replicas, status.ReadyReplicas = 0, 0
		}
		plain["MyApp "+name] = map[string]any{"status": *status, "finalizers": app.Finalizers}
	}
	return plain
}

// isScaled reports whether the number of pods is the autoscaler's, who goes by
// what was before, and leaves what was stopped alone.
func isScaled(app *v1.MyApp) bool { return app != nil && app.Spec.Autoscaling != nil }

// plainChild returns what the operator says of an object, and what it owns of it.
func plainChild(object *unstructured.Unstructured, app *v1.MyApp) any {
	object = object.DeepCopy()
	var owned []any
	for _, entry := range object.GetManagedFields() {
		if entry.Manager == "myapp" {
			owned = append(owned, string(entry.Operation), entry.Subresource, entry.FieldsV1.GetRawString())
		}
	}
	annotations := object.GetAnnotations()
	delete(annotations, "deployment.kubernetes.io/revision")
	content := map[string]any{
		"labels": object.GetLabels(), "annotations": annotations, "owners": object.GetOwnerReferences(), "owned": owned,
		"deleted": object.GetDeletionTimestamp() != nil,
	}
	for _, key := range slices.Sorted(maps.Keys(object.Object)) {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, key) {
			content[key] = object.Object[key]
		}
	}
	if spec, ok := object.Object["spec"].(map[string]any); ok {
		delete(spec, "clusterIP")
		delete(spec, "clusterIPs")
		if object.GetKind() == "Deployment" && isScaled(app) {
			delete(spec, "replicas")
		}
	}
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	var plain any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), string(ownerOf(object)), "its-owner")), &plain); err != nil {
		return err
	}
	return plain
}

// awaitQuiet waits until the operator has sent nothing about the namespaces for a
// while.
func (w *world) awaitQuiet(length time.Duration, namespaces ...string) {
	w.Helper()
	since, seen := time.Now(), len(w.requests())
	w.await("the operator is quiet", func() error {
		w.must(w.audit.read())
		fresh := slices.DeleteFunc(slices.Clone(w.audit.sent[seen:]), func(request sent) bool { return !in(namespaces...)(request) })
		seen = len(w.audit.sent)
		if len(fresh) > 0 {
			since = time.Now()
		}
		if time.Since(since) < length {
			return fmt.Errorf("the last requests are %v", w.audit.sent[max(0, seen-5):])
		}
		return nil
	})
}
