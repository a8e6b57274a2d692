package memory_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// bench is a server, and a user of it.
type bench struct {
	*testing.T
	*memory.Server
	user client.Client
}

func newBench(t *testing.T) *bench {
	t.Helper()
	server := kinds(t).NewServer()
	return &bench{t, server, server.Client(server.Config())}
}

func (b *bench) must(errs ...error) {
	b.Helper()
	if err := errors.Join(errs...); err != nil {
		b.Fatal(err)
	}
}

// left returns the names of all objects.
func (b *bench) left() []string {
	var names []string
	for _, object := range b.All() {
		names = append(names, object.GetKind()+" "+object.GetName())
	}
	return names
}

func owned(name string, owner client.Object) *corev1.ConfigMap {
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "demo"}}
	if owner != nil {
		made.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "v1", Kind: "ConfigMap", Name: owner.GetName(), UID: owner.GetUID(), BlockOwnerDeletion: new(true),
		}}
	}
	return made
}

func TestGarbageCollector(t *testing.T) {
	cases := map[string]struct {
		reason string
		policy metav1.DeletionPropagation
		after  []string // each thing done
		want   []string
	}{
		"background": {"what is left without an owner goes, and then what it owned", metav1.DeletePropagationBackground, nil, []string{"ConfigMap other"}},
		"foreground": {"the owner goes last", metav1.DeletePropagationForeground, nil, []string{"ConfigMap other"}},
		"orphan":     {"the dependents stay", metav1.DeletePropagationOrphan, nil, []string{"ConfigMap child", "ConfigMap grandchild", "ConfigMap other"}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			owner, other := owned("owner", nil), owned("other", nil)
			b.must(b.user.Create(t.Context(), owner), b.user.Create(t.Context(), other))
			child := owned("child", owner)
			b.must(b.user.Create(t.Context(), child))
			b.must(b.user.Create(t.Context(), owned("grandchild", child)))
			b.must(memory.Settle(t.Context(), b, memory.GarbageCollector))
			if len(b.left()) != 4 {
				t.Fatalf("before the owner is deleted there are only %v", b.left())
			}
			b.must(b.user.Delete(t.Context(), owner, client.PropagationPolicy(test.policy)))
			if test.policy != metav1.DeletePropagationBackground {
				b.must(b.user.Get(t.Context(), client.ObjectKeyFromObject(owner), owner))
			}
			b.must(memory.Settle(t.Context(), b, memory.GarbageCollector))
			if diff := cmp.Diff(test.want, b.left()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

// A workload that changes is first seen and then ready.
func TestWorkloads(t *testing.T) {
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "img:1"}}},
	}
	selector := &metav1.LabelSelector{MatchLabels: template.Labels}
	name := metav1.ObjectMeta{Name: "web", Namespace: "demo"}
	cases := map[string]struct {
		object client.Object
		field  string
		want   []int64 // the field after each thing done
	}{
		"Deployment":  {&appsv1.Deployment{ObjectMeta: name, Spec: appsv1.DeploymentSpec{Replicas: new(int32(3)), Selector: selector, Template: template}}, "readyReplicas", []int64{0, 3}},
		"StatefulSet": {&appsv1.StatefulSet{ObjectMeta: name, Spec: appsv1.StatefulSetSpec{Selector: selector, Template: template}}, "readyReplicas", []int64{0, 1}},
		"Job":         {&batchv1.Job{ObjectMeta: name, Spec: batchv1.JobSpec{Template: template}}, "succeeded", []int64{0, 1}},
		"DaemonSet":   {&appsv1.DaemonSet{ObjectMeta: name, Spec: appsv1.DaemonSetSpec{Selector: selector, Template: template}}, "observedGeneration", []int64{1}},
	}
	for kind, test := range cases {
		t.Run(kind, func(t *testing.T) {
			b := newBench(t)
			b.must(b.user.Create(t.Context(), test.object))
			var got []int64
			for {
				did, err := memory.ActOnce(t.Context(), b, memory.Workloads)
				b.must(err)
				if !did {
					break
				}
				value, _, err := unstructured.NestedInt64(b.All()[0].Object, "status", test.field)
				b.must(err)
				got = append(got, value)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.field, diff)
			}
		})
	}
}
