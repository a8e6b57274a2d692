package cluster

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func podTemplate(app string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}},
		Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{{Name: "init", Image: "init"}},
			Containers:     []corev1.Container{{Name: "main", Image: "main"}},
			RestartPolicy:  corev1.RestartPolicyAlways,
			// Half of it is how long the namespace controller waits for pods.
			TerminationGracePeriodSeconds: ptr.To(int64(1)),
		},
	}
}

func TestDeploymentBecomesAvailable(t *testing.T) {
	c := Shared(t)
	client := clientFor(t, c.Config())
	namespace := c.Namespace(t)
	deployments := client.AppsV1().Deployments(namespace)
	replicas := int32(3)
	if _, err := deployments.Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			Template: podTemplate("web"),
		},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the Deployment is Available", func(ctx context.Context) (bool, error) {
		deployment, err := deployments.Get(ctx, "web", metav1.GetOptions{})
		return err == nil && deployment.Status.AvailableReplicas == replicas, err
	})
	// And its pods go away with it.
	if err := deployments.Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "its pods are gone", func(ctx context.Context) (bool, error) {
		pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		return err == nil && len(pods.Items) == 0, err
	})
}

func TestJobCompletes(t *testing.T) {
	c := Shared(t)
	jobs := clientFor(t, c.Config()).BatchV1().Jobs(c.Namespace(t))
	template := podTemplate("job")
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	if _, err := jobs.Create(t.Context(), &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "job"}, Spec: batchv1.JobSpec{Template: template},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the Job is complete", func(ctx context.Context) (bool, error) {
		job, err := jobs.Get(ctx, "job", metav1.GetOptions{})
		return err == nil && job.Status.Succeeded == 1 && job.Status.CompletionTime != nil, err
	})
}

// TestNodesWithoutControllers binds a pod by hand, and has the scheduler bind
// another.
func TestNodesWithoutControllers(t *testing.T) {
	c := startForTest(t, Options{Nodes: 1, Scheduler: true})
	pods := clientFor(t, c.Config()).CoreV1().Pods(c.Namespace(t))
	for name, node := range map[string]string{"bound": "node-0", "unbound": ""} {
		template := podTemplate(name)
		template.Spec.NodeName = node
		if _, err := pods.Create(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: template.Spec}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the pod runs", func(ctx context.Context) (bool, error) {
			pod, err := pods.Get(ctx, name, metav1.GetOptions{})
			return err == nil && pod.Status.Phase == corev1.PodRunning, err
		})
		if err := pods.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the pod is gone", func(ctx context.Context) (bool, error) {
			_, err := pods.Get(ctx, name, metav1.GetOptions{})
			return apierrors.IsNotFound(err), err
		})
	}
}
