package resources_test

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// deploymentInOrder has a list whose items have keys.
func deploymentInOrder(app *v1.MyApp) (*appsv1.Deployment, error) {
	child, err := desiredDeployment(app)
	container := &child.Spec.Template.Spec.Containers[0]
	container.Env = []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "$(A)2"}}
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

// exactReorderedSet has somebody put the items of a set in another order.
func exactReorderedSet(t *testing.T) {
	desired := []any{"b", "a", "c"}
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*unstructured.Unstructured, error) {
		return &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": app.Name},
			"spec":     map[string]any{"members": slices.Clone(desired)},
		}}, nil
	}).Kind(thing))
	b.want("first pass", reconcile.Continue)
	child := &unstructured.Unstructured{}
	child.SetGroupVersionKind(thing)
	child.SetName("web")
	child.SetNamespace(b.namespace)
	members := func() []any {
		b.get(child)
		members, _, _ := unstructured.NestedSlice(child.Object, "spec", "members")
		return members
	}
	if diff := cmp.Diff(desired, members()); diff != "" {
		t.Fatalf("members (-want +got):\n%s", diff)
	}
	before := child.DeepCopy()
	if err := unstructured.SetNestedSlice(child.Object, []any{"c", "b", "a"}, "spec", "members"); err != nil {
		t.Fatal(err)
	}
	b.update(child)
	sameEntry(t, before, child)
	b.caughtUp(child)
	b.writes()
	b.want("after the reordering", reconcile.Continue)
	b.wrote("it is repaired", "patch things web")
	if diff := cmp.Diff(desired, members()); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	b.quiet(child)
}

// What a CRD fills in within what the step owns is not known beforehand: after a restart
// the child is applied once to be sure, and that is all.
func TestARestartSendsAtMostOneApply(t *testing.T) {
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*unstructured.Unstructured, error) {
		return &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": app.Name},
			"spec":     map[string]any{"atoms": []any{map[string]any{"name": "a"}}},
		}}, nil
	}).Kind(thing))
	b.want("first pass", reconcile.Continue)
	child := &unstructured.Unstructured{}
	child.SetGroupVersionKind(thing)
	child.SetName("web")
	child.SetNamespace(b.namespace)
	b.get(child)
	before := child.GetResourceVersion()
	if atoms, _, _ := unstructured.NestedSlice(child.Object, "spec", "atoms"); len(atoms) != 1 || atoms[0].(map[string]any)["mode"] != "usual" {
		t.Fatalf("atoms = %v: nothing is filled in", atoms)
	}
	b.quiet(child)
	for range 2 {
		b.caughtUp(child)
		b.restart()
		b.writes()
		b.want("after a restart", reconcile.Continue)
		b.wrote("it is made sure of once", "patch things web")
		b.quiet(child)
	}
	b.get(child)
	if child.GetResourceVersion() != before {
		t.Error("the child was changed")
	}
}

// exactServersForm has what the server makes something else of, which is no drift.
func exactServersForm(t *testing.T) {
	for name, test := range map[string]struct {
		set  func(*corev1.PodSpec)
		made func(*corev1.PodSpec) bool // whether the server has done so
	}{
		"what is not set is filled in": {
			func(*corev1.PodSpec) {},
			func(pod *corev1.PodSpec) bool { return pod.Containers[0].TerminationMessagePath != "" },
		},
		"a quantity is spelled otherwise": {
			func(pod *corev1.PodSpec) {
				pod.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1000m")}
			},
			func(pod *corev1.PodSpec) bool { return pod.Containers[0].Resources.Requests.Cpu().String() == "1" },
		},
		"the key of a list's item is filled in": {
			func(pod *corev1.PodSpec) { pod.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 80}} },
			func(pod *corev1.PodSpec) bool { return pod.Containers[0].Ports[0].Protocol == corev1.ProtocolTCP },
		},
		"an item of an atomic list is filled in": {
			func(pod *corev1.PodSpec) {
				pod.Volumes = []corev1.Volume{{Name: "all", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
					Sources: []corev1.VolumeProjection{{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{
						{Path: "name", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}},
					}}}},
				}}}}
			},
			func(pod *corev1.PodSpec) bool {
				return pod.Volumes[0].Projected.Sources[0].DownwardAPI.Items[0].FieldRef.APIVersion == "v1"
			},
		},
		"an empty struct is filled in": {
			func(pod *corev1.PodSpec) {
				pod.SecurityContext = &corev1.PodSecurityContext{}
				pod.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
				pod.Containers[0].LivenessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(80)}}}
				pod.NodeSelector = map[string]string{}
			},
			func(pod *corev1.PodSpec) bool {
				return pod.SecurityContext != nil && pod.Volumes[0].EmptyDir != nil && pod.Containers[0].LivenessProbe.PeriodSeconds != 0
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*appsv1.Deployment, error) {
				child, err := desiredDeployment(app)
				test.set(&child.Spec.Template.Spec)
				return child, err
			}).ReadyWhen(alwaysReady))
			b.want("first pass", reconcile.Continue)
			child := b.deployment()
			b.get(child)
			if !test.made(&child.Spec.Template.Spec) {
				t.Fatalf("the server has made of it: %+v", child.Spec.Template.Spec)
			}
			b.quiet(child)
			child.Labels["theirs"] = "x" // moves the resourceVersion
			b.update(child)
			b.quiet(child)
			b.restart()
			b.quiet(child)
		})
	}
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
