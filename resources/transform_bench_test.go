package resources_test

import (
	"runtime"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// BenchmarkTrimManagedFields measures the heap that a cache keeps for a small
// Deployment, which a step applied and whose status its controller writes, with
// and without the transform: "B/object".
func BenchmarkTrimManagedFields(b *testing.B) {
	shared := cluster.Shared(b)
	namespace := shared.Namespace(b)
	step := resources.Ensure(desiredDeployment)
	live := steptest.StartLive(b, shared.Config(), scheme(b), []string{namespace}, "bench", step)
	app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	if err := live.User.Create(b.Context(), app); err != nil {
		b.Fatal(err)
	}
	run, err := reconcile.NewRun(live.Environment, "bench", app)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := run.Do(b.Context(), step); err != nil {
		b.Fatal(err)
	}
	stored := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}}
	if err := live.User.Get(b.Context(), client.ObjectKeyFromObject(stored), stored); err != nil {
		b.Fatal(err)
	}
	stored.Annotations = map[string]string{"deployment.kubernetes.io/revision": "1"}
	if err := live.User.Update(b.Context(), stored, client.FieldOwner("kube-controller-manager")); err != nil {
		b.Fatal(err)
	}
	stored.Status = appsv1.DeploymentStatus{
		ObservedGeneration: 1, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
		Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable", Message: "Deployment has minimum availability."},
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable", Message: "ReplicaSet has successfully progressed."},
		},
	}
	if err := live.User.Status().Update(b.Context(), stored, client.FieldOwner("kube-controller-manager")); err != nil {
		b.Fatal(err)
	}
	trim := resources.TrimManagedFields("bench")
	for name, transform := range map[string]func(any) (any, error){
		"all":     func(object any) (any, error) { return object, nil },
		"trimmed": trim,
		"none":    stripAll,
	} {
		b.Run(name, func(b *testing.B) {
			const objects = 2000
			for b.Loop() {
				before := heap()
				kept := make([]any, objects)
				for i := range kept {
					kept[i], _ = transform(stored.DeepCopy())
				}
				b.ReportMetric(float64(heap()-before)/objects, "B/object")
				runtime.KeepAlive(kept)
			}
		})
	}
}

func heap() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
