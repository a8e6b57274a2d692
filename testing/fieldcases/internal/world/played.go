package world

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Converge settles, and plays the controllers of the children until there is
// nothing left for them to do.
func (w *World) Converge() {
	w.t.Helper()
	for range maxPasses {
		w.Settle()
		if !w.play() || w.Crashed() {
			return
		}
	}
	w.Stop("the controllers of the children find no end")
}

// play does what controllers do to children and reports whether there was
// anything to do.
func (w *World) play() bool {
	w.t.Helper()
	acted := false
	deployments := &appsv1.DeploymentList{}
	w.controlled(deployments)
	for i := range deployments.Items {
		acted = w.RollOut(&deployments.Items[i]) || acted
	}
	sets := &appsv1.StatefulSetList{}
	w.controlled(sets)
	for i := range sets.Items {
		acted = w.rollOutSet(&sets.Items[i]) || acted
	}
	ingresses := &networkingv1.IngressList{}
	w.controlled(ingresses)
	for i := range ingresses.Items {
		if ingress := &ingresses.Items[i]; len(ingress.Status.LoadBalancer.Ingress) == 0 {
			ingress.Status.LoadBalancer.Ingress = []networkingv1.IngressLoadBalancerIngress{{IP: "10.0.0.1"}}
			w.status(ingress)
			acted = true
		}
	}
	claims := &corev1.PersistentVolumeClaimList{}
	w.controlled(claims)
	for i := range claims.Items {
		acted = w.bind(&claims.Items[i]) || acted
	}
	return acted
}

// List reads all objects of a kind in the world.
func (w *World) List(list client.ObjectList) {
	w.t.Helper()
	w.Must(w.User.List(w.Context(), list, client.InNamespace(w.Namespace)))
}

// controlled reads what the controllers of a kind see: as little is asked for as
// for the operator's cache.
func (w *World) controlled(list client.ObjectList) {
	w.t.Helper()
	w.view.mu.Lock()
	defer w.view.mu.Unlock()
	objects, err := w.view.all(w.Context(), w.kindOf(list), list)
	w.Must(err)
	items := make([]runtime.Object, 0, len(objects))
	for _, object := range objects {
		items = append(items, object.DeepCopyObject())
	}
	w.Must(meta.SetList(list, items))
}

// status writes a status, unless the object has been changed or has gone meanwhile.
func (w *World) status(object client.Object) {
	w.t.Helper()
	err := w.User.Status().Update(w.Context(), object)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		w.view.outdated("")
		return
	}
	w.Must(err)
}

// RollOut is what the Deployment controller does in the end, and reports whether
// there was anything to do.
func (w *World) RollOut(deployment *appsv1.Deployment) bool {
	w.t.Helper()
	n := ptr.Deref(deployment.Spec.Replicas, 1)
	now := metav1.NewTime(w.Clock.Now())
	status := appsv1.DeploymentStatus{
		ObservedGeneration: deployment.Generation,
		Replicas:           n, UpdatedReplicas: n, ReadyReplicas: n, AvailableReplicas: n,
		Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable", LastTransitionTime: now, LastUpdateTime: now},
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable", LastTransitionTime: now, LastUpdateTime: now},
		},
	}
	if deployment.Status.ObservedGeneration == status.ObservedGeneration && deployment.Status.AvailableReplicas == n &&
		deployment.Status.UpdatedReplicas == n && deployment.Status.Replicas == n {
		return false
	}
	deployment.Status = status
	w.status(deployment)
	return true
}

// DeploymentStatus is what the Deployment controller says on the way there.
func (w *World) DeploymentStatus(name string, status appsv1.DeploymentStatus) {
	w.t.Helper()
	deployment := Get[appsv1.Deployment](w, name)
	deployment.Status = status
	w.status(deployment)
}

func (w *World) rollOutSet(set *appsv1.StatefulSet) bool {
	n := ptr.Deref(set.Spec.Replicas, 1)
	status := appsv1.StatefulSetStatus{
		ObservedGeneration: set.Generation,
		Replicas:           n, ReadyReplicas: n, AvailableReplicas: n, UpdatedReplicas: n, CurrentReplicas: n,
		CurrentRevision: "1", UpdateRevision: "1",
	}
	if equality.Semantic.DeepEqual(status, set.Status) {
		return false
	}
	set.Status = status
	w.status(set)
	return true
}

func (w *World) bind(claim *corev1.PersistentVolumeClaim) bool {
	want := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	have := claim.Status.Capacity[corev1.ResourceStorage]
	if claim.Status.Phase == corev1.ClaimBound && have.Cmp(want) >= 0 {
		return false
	}
	claim.Status.Phase = corev1.ClaimBound
	claim.Status.Capacity = corev1.ResourceList{corev1.ResourceStorage: want}
	w.status(claim)
	return true
}

// StartJobs lets all Jobs have a pod that runs.
func (w *World) StartJobs() {
	w.t.Helper()
	jobs := &batchv1.JobList{}
	w.List(jobs)
	for i := range jobs.Items {
		job, now := &jobs.Items[i], metav1.NewTime(w.Clock.Now())
		job.Status.StartTime, job.Status.Active, job.Status.Ready = &now, 1, ptr.To[int32](1)
		w.status(job)
	}
}

// CompleteJobs lets all Jobs succeed.
func (w *World) CompleteJobs() {
	w.t.Helper()
	jobs := &batchv1.JobList{}
	w.List(jobs)
	for i := range jobs.Items {
		if job := &jobs.Items[i]; job.Status.CompletionTime == nil {
			w.complete(job)
		}
	}
}

func (w *World) complete(job *batchv1.Job) {
	w.t.Helper()
	now := metav1.NewTime(w.Clock.Now())
	if job.Status.StartTime == nil {
		job.Status.StartTime = &now
	}
	job.Status.CompletionTime = &now
	job.Status.Active, job.Status.Ready, job.Status.Succeeded = 0, ptr.To[int32](0), 1
	for _, kind := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobComplete} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: kind, Status: corev1.ConditionTrue, LastProbeTime: now, LastTransitionTime: now,
			Reason: "CompletionsReached",
		})
	}
	w.status(job)
}
