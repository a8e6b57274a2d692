package resources_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var (
	label    = map[string]string{"app": "web"}
	selector = &metav1.LabelSelector{MatchLabels: label}
	named    = metav1.ObjectMeta{Name: "web"}
)

func TestReadinessOfADeploymentOnAServer(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: named, Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(2)), Selector: selector, Template: pods(label, corev1.RestartPolicyAlways),
	}}
	play{object: d, before: "LatestGenerationNotObserved", states: []state{
		{reason: "pods are being made", want: "LessAvailable", write: func() {
			d.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 2, UpdatedReplicas: 2}
		}},
		{reason: "pods are there", want: "ready", write: func() {
			d.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 2, UpdatedReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 2}
		}},
		{reason: "there is a new version", want: "LatestGenerationNotObserved", change: func() error {
			d.Spec.Template.Spec.Containers[0].Image = "img:2"
			return nil
		}},
		{reason: "it is being rolled out", want: "LessUpdated", write: func() {
			d.Status.ObservedGeneration, d.Status.UpdatedReplicas = 2, 1
		}},
		{reason: "it does not come up", want: "ProgressDeadlineExceeded!", write: func() {
			d.Status.Conditions = []appsv1.DeploymentCondition{{
				Type: appsv1.DeploymentProgressing, Status: corev1.ConditionFalse, Reason: "ProgressDeadlineExceeded",
			}}
		}},
		{reason: "it is paused meanwhile", want: "Paused", change: func() error { d.Spec.Paused = true; return nil }, write: func() {
			d.Status.ObservedGeneration = 3
			d.Status.Conditions = []appsv1.DeploymentCondition{{
				Type: appsv1.DeploymentProgressing, Status: corev1.ConditionUnknown, Reason: "DeploymentPaused",
			}}
		}},
	}}.perform(t)
}

func TestReadinessOfAReplicaSetOnAServer(t *testing.T) {
	r := &appsv1.ReplicaSet{ObjectMeta: named, Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: pods(label, corev1.RestartPolicyAlways)}}
	play{object: r, before: "LatestGenerationNotObserved", states: []state{
		{reason: "its pod is not ready", want: "LessAvailable", write: func() {
			r.Status = appsv1.ReplicaSetStatus{ObservedGeneration: 1, Replicas: 1, FullyLabeledReplicas: 1}
		}},
		{reason: "its pod is ready", want: "ready", write: func() { r.Status.ReadyReplicas, r.Status.AvailableReplicas = 1, 1 }},
	}}.perform(t)
}

func TestReadinessOfAStatefulSetOnAServer(t *testing.T) {
	s := &appsv1.StatefulSet{ObjectMeta: named, Spec: appsv1.StatefulSetSpec{
		Replicas: new(int32(2)), Selector: selector, ServiceName: "web", Template: pods(label, corev1.RestartPolicyAlways),
	}}
	play{object: s, before: "LatestGenerationNotObserved", states: []state{
		{reason: "pods are there", want: "ready", write: func() {
			s.Status = appsv1.StatefulSetStatus{ObservedGeneration: 1, Replicas: 2, ReadyReplicas: 2, AvailableReplicas: 2, CurrentReplicas: 2, UpdatedReplicas: 2}
		}},
		{reason: "a new version is rolled out", want: "LessUpdated", change: func() error {
			s.Spec.Template.Spec.Containers[0].Image = "img:2"
			return nil
		}, write: func() { s.Status.ObservedGeneration, s.Status.UpdatedReplicas = 2, 1 }},
		{reason: "but not to pod 0", want: "ready", change: func() error {
			s.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{Partition: new(int32(1))}
			return nil
		}, write: func() { s.Status.ObservedGeneration = 3 }},
		{reason: "others replace the pods", want: "ready", change: func() error {
			s.Spec.UpdateStrategy = appsv1.StatefulSetUpdateStrategy{Type: appsv1.OnDeleteStatefulSetStrategyType}
			return nil
		}, write: func() { s.Status.ObservedGeneration, s.Status.UpdatedReplicas = 4, 0 }},
	}}.perform(t)
}

func TestReadinessOfADaemonSetOnAServer(t *testing.T) {
	d := &appsv1.DaemonSet{ObjectMeta: named, Spec: appsv1.DaemonSetSpec{Selector: selector, Template: pods(label, corev1.RestartPolicyAlways)}}
	play{object: d, before: "LatestGenerationNotObserved", states: []state{
		{reason: "one node has an old pod", want: "LessUpdated", write: func() {
			d.Status = appsv1.DaemonSetStatus{ObservedGeneration: 1, DesiredNumberScheduled: 2, CurrentNumberScheduled: 2, UpdatedNumberScheduled: 1, NumberAvailable: 2}
		}},
		{reason: "all are new", want: "ready", write: func() { d.Status.UpdatedNumberScheduled = 2 }},
		{reason: "others replace the pods", want: "ready", change: func() error {
			d.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}
			return nil
		}, write: func() { d.Status.ObservedGeneration, d.Status.UpdatedNumberScheduled = 2, 0 }},
	}}.perform(t)
}

func TestReadinessOfAPodOnAServer(t *testing.T) {
	p := &corev1.Pod{ObjectMeta: named, Spec: pods(label, corev1.RestartPolicyAlways).Spec}
	play{object: p, before: "Pending", states: []state{
		{reason: "it crashes", want: "CrashLoopBackOff!", write: func() {
			p.Status.Phase = corev1.PodRunning
			p.Status.ContainerStatuses = []corev1.ContainerStatus{{
				Name: "app", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
			}}
		}},
		{reason: "it has recovered", want: "ready", write: func() {
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		}},
	}}.perform(t)
}

func TestReadinessOfAJobOnAServer(t *testing.T) {
	is := func(kind batchv1.JobConditionType) batchv1.JobCondition {
		return batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue, Reason: "Because", LastTransitionTime: metav1.Now()}
	}
	job := func() *batchv1.Job {
		return &batchv1.Job{ObjectMeta: named, Spec: batchv1.JobSpec{Template: pods(nil, corev1.RestartPolicyNever)}}
	}
	done := job()
	play{object: done, before: "Running", states: []state{
		{reason: "it is suspended", want: "Suspended", change: func() error { done.Spec.Suspend = new(true); return nil }},
		{reason: "it runs", want: "Running", change: func() error { done.Spec.Suspend = new(false); return nil }, write: func() {
			done.Status.StartTime, done.Status.Active = new(metav1.Now()), 1
		}},
		{reason: "it has done its work", want: "ready", write: func() {
			done.Status.Active, done.Status.Succeeded, done.Status.CompletionTime = 0, 1, new(metav1.Now())
			done.Status.Conditions = []batchv1.JobCondition{is(batchv1.JobSuccessCriteriaMet), is(batchv1.JobComplete)}
		}},
	}}.perform(t)
	lost := job()
	play{object: lost, before: "Running", states: []state{
		{reason: "it is going to fail", want: "Because!", write: func() {
			lost.Status.StartTime = new(metav1.Now())
			lost.Status.Conditions = []batchv1.JobCondition{is(batchv1.JobFailureTarget)}
		}},
		{reason: "it has failed", want: "Because!", write: func() {
			lost.Status.Conditions = append(lost.Status.Conditions, is(batchv1.JobFailed))
		}},
	}}.perform(t)
	cron := &batchv1.CronJob{ObjectMeta: named, Spec: batchv1.CronJobSpec{
		Schedule: "0 0 1 1 *", JobTemplate: batchv1.JobTemplateSpec{Spec: job().Spec},
	}}
	play{object: cron, before: "ready"}.perform(t)
}
