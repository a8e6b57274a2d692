package fieldcases_test

import (
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C03: quantities that are equal in another spelling make pods roll.
// https://github.com/strimzi/strimzi-kafka-operator/issues/648
func c03() fieldCase {
	return fieldCase{
		id:    "C03",
		shows: "step 1: the user's spec reads map[cpu:1 memory:1Gi]",
		run: func(w *world.World) {
			// The user's file, in the user's spelling.
			app := &unstructured.Unstructured{Object: map[string]any{
				"metadata": map[string]any{"name": "web", "namespace": w.Namespace},
				"spec": map[string]any{"replicas": int64(2), "image": "img:1", "port": int64(8080), "resources": map[string]any{
					"limits": map[string]any{"cpu": "1000m", "memory": "1024Mi"},
				}},
			}}
			app.SetGroupVersionKind(v1.GroupVersion.WithKind("MyApp"))
			w.Must(w.User.Create(w.Context(), app, client.FieldOwner("user")))
			web := w.Know("web")

			w.Converge()
			w.Quiet("step 1", 5)
			w.Must(w.User.Get(w.Context(), client.ObjectKeyFromObject(app), app))
			limits, _, _ := unstructured.NestedStringMap(app.Object, "spec", "resources", "limits")
			w.Expect(limits["cpu"] == "1000m" && limits["memory"] == "1024Mi", "step 1: the user's spec reads %v", limits)
			for _, entry := range app.GetManagedFields() {
				w.Expect(entry.Manager == "user" || !strings.Contains(string(entry.FieldsV1.GetRawBytes()), `"f:spec"`),
					"step 1: %s owns fields of the user's spec", entry.Manager)
			}
			before := w.Condition("step 1", web, "Ready", metav1.ConditionTrue, world.Available)

			w.Must(unstructured.SetNestedField(app.Object, "1", "spec", "resources", "limits", "cpu"))
			w.Must(w.User.Update(w.Context(), app, client.FieldOwner("user")))
			w.Converge()
			w.Wrote("step 2", map[string]int{"myapps/status": 1})
			now := web.Get()
			w.Same("step 2: generation and observedGeneration", []int64{2, 2}, []int64{now.Generation, now.Status.ObservedGeneration})
			after := w.Condition("step 2", web, "Ready", metav1.ConditionTrue, world.Available)
			w.Same("step 2: lastTransitionTime", before.LastTransitionTime, after.LastTransitionTime)
			w.Quiet("step 2", 5)
			generation := world.Get[appsv1.Deployment](w, "web").Generation
			w.Expect(generation == 1, "the Deployment's generation is %d, want 1", generation)
		},
	}
}
