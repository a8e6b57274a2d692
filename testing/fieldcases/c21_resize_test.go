package fieldcases_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C21: delete, resize and make again is interrupted.
// https://github.com/rabbitmq/cluster-operator/issues/782
//
// The claim has the name that a StatefulSet gives it. While the new StatefulSet is
// there and not ready, Ready says that, and not Resizing any more.
func c21() fieldCase {
	return fieldCase{
		id:    "C21",
		shows: "the claim asks for 10Gi",
		run: func(w *world.World) {
			class := &storagev1.StorageClass{
				ObjectMeta:  metav1.ObjectMeta{Name: w.Namespace},
				Provisioner: "example.com/none", AllowVolumeExpansion: ptr.To(true),
			}
			w.Must(w.User.Create(w.Context(), class))
			defer func() { w.Must(w.User.Delete(w.Context(), class)) }()

			// The three writes, the statuses between them, and no crash at all.
			for k := range 7 {
				step := fmt.Sprintf("crash after write %d", k)
				name := fmt.Sprintf("web%d", k)
				app := w.App(name, func(app *v1.MyApp) { app.Spec.Storage = ptr.To(resource.MustParse("10Gi")) })
				w.Converge()
				pod := runSet(w, name+"-data", class.Name)
				w.Converge()
				w.Mark()

				app.Change(func(app *v1.MyApp) { app.Spec.Storage = ptr.To(resource.MustParse("15Gi")) })
				w.CrashAfterWrites(k)
				for range 3 {
					w.Converge()
					w.Eventually(func() bool { // the garbage collector is done
						set := world.Find[appsv1.StatefulSet](w, name+"-data")
						return set == nil || set.DeletionTimestamp == nil
					})
					if w.Crashed() {
						// What was written before the crash does not say that all is done.
						now, claim := app.Get(), world.Get[corev1.PersistentVolumeClaim](w, "data-"+name+"-data-0")
						ready := meta.FindStatusCondition(now.Status.Conditions, "Ready")
						w.Expect(claim.Spec.Resources.Requests.Storage().String() == "15Gi" || ready == nil || ready.ObservedGeneration < now.Generation ||
							ready.Status == metav1.ConditionFalse && ready.Reason == string(world.Resizing),
							"%s: Ready is %v before the claim has grown", step, ready)
						w.Restart()
					}
				}
				w.Converge()

				claim := world.Get[corev1.PersistentVolumeClaim](w, "data-"+name+"-data-0")
				size := claim.Spec.Resources.Requests.Storage()
				w.Expect(size.String() == "15Gi", "%s: the claim asks for %s", step, size)
				set := world.Get[appsv1.StatefulSet](w, name+"-data")
				w.Expect(set.Spec.VolumeClaimTemplates[0].Spec.Resources.Requests.Storage().String() == "15Gi", "%s: the template has another size", step)
				w.Expect(metav1.IsControlledBy(set, app.Get()), "%s: the StatefulSet has no controller", step)
				w.Same(step+": UID of the pod", pod, world.Get[corev1.Pod](w, name+"-data-0").UID)

				// A crash may hide an answer, and nothing may be done twice.
				deleted := w.Deletions("statefulsets")
				w.Expect(len(deleted) == 1 && deleted[0].Policy == "Orphan", "%s: deletes %v", step, deleted)
				w.Same(step+": patches of the claim", 1, w.Count(world.WritesTo("persistentvolumeclaims"), world.Accepted))
				w.Same(step+": creates", 1, w.Count(world.WritesTo("statefulsets"), world.Verb("create", "apply"), world.Accepted))
				w.Condition(step, app, "Ready", metav1.ConditionTrue, world.Available)
				w.Quiet(step, 3)
				w.Forget(app)
			}
		},
	}
}

// runSet plays what a StatefulSet's controller makes: a pod and its claim.
func runSet(w *world.World, name, class string) types.UID {
	set := world.Get[appsv1.StatefulSet](w, name)
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data-" + name + "-0", Namespace: w.Namespace},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: &class,
			Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")}},
		},
	}
	w.Must(w.User.Create(w.Context(), claim))
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name + "-0", Namespace: w.Namespace, Labels: set.Spec.Template.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))},
		},
		Spec: set.Spec.Template.Spec,
	}
	w.Must(w.User.Create(w.Context(), pod))
	return pod.UID
}
