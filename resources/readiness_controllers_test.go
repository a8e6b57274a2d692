package resources_test

import (
	"context"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
)

// full is a namespace of a cluster with controllers, a scheduler and nodes.
type full struct {
	*testing.T
	client.Client
	namespace string
}

func startFull(t *testing.T) *full {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	whole, err := cluster.Start(ctx, cluster.Full())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := whole.Stop(); err != nil {
			t.Error(err)
		}
	})
	user, err := client.New(whole.Config(), client.Options{Scheme: scheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	return &full{T: t, Client: user, namespace: "default"}
}

// becomes waits until it is said of the object what is wanted.
func (f *full) becomes(object client.Object, want string) {
	f.Helper()
	var got resources.Readiness
	err := wait.PollUntilContextTimeout(f.Context(), 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		if err := f.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
			return false, err
		}
		got = resources.ReadinessOf(object)
		return said(got) == want, nil
	})
	if err != nil {
		f.Fatalf("%T %s: %v: got %+v, want %s", object, object.GetName(), err, got, want)
	}
}

func (f *full) make(objects ...client.Object) {
	f.Helper()
	for _, object := range objects {
		object.SetNamespace(f.namespace)
		if err := f.Create(f.Context(), object); err != nil {
			f.Fatal(err)
		}
	}
}

// rolledOut checks that there are so many pods, all of them of the image and
// ready.
func (f *full) rolledOut(app, image string, count int) {
	f.Helper()
	pods := &corev1.PodList{}
	if err := f.List(f.Context(), pods, client.InNamespace(f.namespace), client.MatchingLabels{"app": app}); err != nil {
		f.Fatal(err)
	}
	good := 0
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !pod.DeletionTimestamp.IsZero() {
			continue
		}
		if got := resources.ReadinessOf(pod); !got.Ready || pod.Spec.Containers[0].Image != image {
			f.Errorf("%s is ready, but its pod %s of %s: %+v", app, pod.Name, pod.Spec.Containers[0].Image, got)
		}
		good++
	}
	if good != count {
		f.Errorf("%s is ready with %d pods, want %d", app, good, count)
	}
}

// What is said of objects agrees with what Kubernetes does with them.
func TestReadinessFollowsTheControllers(t *testing.T) {
	f := startFull(t)
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }
	labels := func(name string) map[string]string { return map[string]string{"app": name} }
	choose := func(name string) *metav1.LabelSelector { return &metav1.LabelSelector{MatchLabels: labels(name)} }
	template := func(name string) corev1.PodTemplateSpec { return pods(labels(name), corev1.RestartPolicyAlways) }

	deployment := &appsv1.Deployment{ObjectMeta: meta("d"), Spec: appsv1.DeploymentSpec{Replicas: new(int32(3)), Selector: choose("d"), Template: template("d")}}
	stateful := &appsv1.StatefulSet{ObjectMeta: meta("s"), Spec: appsv1.StatefulSetSpec{Replicas: new(int32(2)), ServiceName: "s", Selector: choose("s"), Template: template("s")}}
	daemon := &appsv1.DaemonSet{ObjectMeta: meta("n"), Spec: appsv1.DaemonSetSpec{Selector: choose("n"), Template: template("n")}}
	replicas := &appsv1.ReplicaSet{ObjectMeta: meta("r"), Spec: appsv1.ReplicaSetSpec{Replicas: new(int32(2)), Selector: choose("r"), Template: template("r")}}
	empty := &appsv1.Deployment{ObjectMeta: meta("e"), Spec: appsv1.DeploymentSpec{Replicas: new(int32(0)), Selector: choose("e"), Template: template("e")}}
	paused := &appsv1.Deployment{ObjectMeta: meta("p"), Spec: appsv1.DeploymentSpec{Paused: true, Selector: choose("p"), Template: template("p")}}
	homeless := &appsv1.Deployment{ObjectMeta: meta("h"), Spec: appsv1.DeploymentSpec{ProgressDeadlineSeconds: new(int32(1)), Selector: choose("h"), Template: template("h")}}
	homeless.Spec.Template.Spec.NodeSelector = map[string]string{"no": "such"}
	job := &batchv1.Job{ObjectMeta: meta("j"), Spec: batchv1.JobSpec{Template: pods(nil, corev1.RestartPolicyNever)}}
	held := &batchv1.Job{ObjectMeta: meta("k"), Spec: batchv1.JobSpec{Suspend: new(true), Template: pods(nil, corev1.RestartPolicyNever)}}
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: meta("b"), Spec: policyv1.PodDisruptionBudgetSpec{Selector: choose("d")}}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: meta("c"), Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}}
	f.make(deployment, stateful, daemon, replicas, empty, paused, homeless, job, held, budget, claim)

	for object, want := range map[client.Object]string{
		deployment: "ready", stateful: "ready", daemon: "ready", replicas: "ready", empty: "ready", job: "ready", budget: "ready",
		paused: "Paused", homeless: "ProgressDeadlineExceeded!", held: "Suspended", claim: "NotBound",
	} {
		f.becomes(object, want)
	}
	f.rolledOut("d", "img:1", 3)
	f.rolledOut("s", "img:1", 2)
	f.rolledOut("n", "img:1", 2)
	f.rolledOut("r", "img:1", 2)

	deployment.Spec.Template.Spec.Containers[0].Image = "img:2"
	stateful.Spec.Template.Spec.Containers[0].Image = "img:2"
	daemon.Spec.Template.Spec.Containers[0].Image = "img:2"
	paused.Spec.Paused = false
	for _, object := range []client.Object{deployment, stateful, daemon, paused} {
		if err := f.Update(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		if got := resources.ReadinessOf(object); got.Ready {
			t.Errorf("%T %s is ready as soon as it is changed", object, object.GetName())
		}
	}
	f.becomes(deployment, "ready")
	f.rolledOut("d", "img:2", 3)
	f.becomes(stateful, "ready")
	f.rolledOut("s", "img:2", 2)
	f.becomes(daemon, "ready")
	f.rolledOut("n", "img:2", 2)
	f.becomes(paused, "ready")

	f.make(&corev1.ResourceQuota{ObjectMeta: meta("q"), Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}}})
	f.becomes(deployment, "ready")
	deployment.Spec.Replicas = new(int32(4))
	if err := f.Update(t.Context(), deployment); err != nil {
		t.Fatal(err)
	}
	f.becomes(deployment, "FailedCreate")
}
