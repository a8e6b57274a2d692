package cluster

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// startScheduler starts kube-scheduler.
func (c *Cluster) startScheduler(context.Context) error {
	if !c.options.Scheduler {
		return nil
	}
	kubeconfig, err := c.writeComponentKubeconfig(Scheduler, "system:kube-scheduler")
	if err != nil {
		return err
	}
	p, err := c.launch(Scheduler, []string{
		"--kubeconfig=" + kubeconfig,
		"--secure-port=0", // serves nothing
		"--leader-elect=false",
		"--kube-api-qps=1000",
		"--kube-api-burst=1000",
	})
	if err != nil {
		return err
	}
	c.guard(Scheduler, p)
	return nil
}

// waitForScheduler makes a pod and waits until the scheduler has a word on it:
// it is bound, or said to fit nowhere.
func (c *Cluster) waitForScheduler(ctx context.Context) error {
	if !c.options.Scheduler {
		return nil
	}
	pods := c.client.CoreV1().Pods(metav1.NamespaceSystem)
	pod, err := pods.Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "trueup-probe-"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "probe", Image: "probe"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("try scheduler: %w", err)
	}
	if err := waitFor(ctx, "the scheduler", func(ctx context.Context) (bool, error) {
		current, err := pods.Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, condition := range current.Status.Conditions {
			if condition.Type == corev1.PodScheduled {
				return true, nil
			}
		}
		return false, nil
	}); err != nil {
		return err
	}
	now := int64(0)
	if err := pods.Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		return fmt.Errorf("try scheduler: %w", err)
	}
	return nil
}
