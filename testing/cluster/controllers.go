package cluster

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// startControllers starts kube-controller-manager with the controllers that it
// has by default, each as its own service account, as in a real cluster. What
// is periodic is made quick.
func (c *Cluster) startControllers(context.Context) error {
	if !c.options.Controllers {
		return nil
	}
	kubeconfig, err := c.writeComponentKubeconfig(ControllerManager, "system:kube-controller-manager")
	if err != nil {
		return err
	}
	p, err := c.launch(ControllerManager, []string{
		"--kubeconfig=" + kubeconfig,
		"--secure-port=0", // serves nothing
		"--leader-elect=false",
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + c.path(serviceAccountKeyFile),
		"--root-ca-file=" + c.path(authorityCertificate),
		"--cluster-signing-cert-file=" + c.path(authorityCertificate),
		"--cluster-signing-key-file=" + c.path(authorityKey),
		"--kube-api-qps=1000",
		"--kube-api-burst=1000",
		"--node-monitor-period=1s",
		"--horizontal-pod-autoscaler-sync-period=1s",
		"--resource-quota-sync-period=1s",
		"--attach-detach-reconcile-sync-period=1s",
		"--pvclaimbinder-sync-period=1s",
	})
	if err != nil {
		return err
	}
	c.guard(ControllerManager, p)
	return nil
}

// waitForControllers waits until the controllers that everything else leans on
// have acted: service accounts are made, and the garbage collector collects.
func (c *Cluster) waitForControllers(ctx context.Context) error {
	if !c.options.Controllers {
		return nil
	}
	for _, namespace := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem} {
		if err := waitFor(ctx, "the default service account of "+namespace, func(ctx context.Context) (bool, error) {
			_, err := c.client.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
			return err == nil, err
		}); err != nil {
			return err
		}
	}
	return c.waitForGarbageCollector(ctx)
}

// waitForGarbageCollector makes an owner with a child, deletes the owner and
// waits until the child is gone: the collector starts to work only when it has
// seen all kinds that there are.
func (c *Cluster) waitForGarbageCollector(ctx context.Context) error {
	configMaps := c.client.CoreV1().ConfigMaps(metav1.NamespaceSystem)
	owner, err := configMaps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "trueup-owner-"},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("try garbage collector: %w", err)
	}
	child, err := configMaps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		GenerateName:    "trueup-child-",
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, corev1.SchemeGroupVersion.WithKind("ConfigMap"))},
	}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("try garbage collector: %w", err)
	}
	if err := configMaps.Delete(ctx, owner.Name, metav1.DeleteOptions{}); err != nil {
		return fmt.Errorf("try garbage collector: %w", err)
	}
	return waitFor(ctx, "the garbage collector", func(ctx context.Context) (bool, error) {
		_, err := configMaps.Get(ctx, child.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
}
