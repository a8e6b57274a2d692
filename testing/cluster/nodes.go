package cluster

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fakeNode is the annotation of the nodes that kwok plays the kubelet of.
const fakeNode = "kwok.x-k8s.io/node"

// startNodes makes the nodes and starts kwok, which makes them Ready, keeps
// their leases alive, and starts, completes and deletes the pods on them: by the
// stages that it comes with.
func (c *Cluster) startNodes(ctx context.Context) error {
	if c.options.Nodes == 0 {
		return nil
	}
	stages, err := exec.CommandContext(ctx, c.programs[string(Kwok)], "stages").Output()
	if err != nil {
		return fmt.Errorf("read stages of %s: %w", Kwok, err)
	}
	if err := c.write("stages.yaml", stages); err != nil {
		return err
	}
	kubeconfig, err := c.writeComponentKubeconfig(Kwok, "kwok", "system:masters")
	if err != nil {
		return err
	}
	p, err := c.launch(Kwok, []string{
		"--kubeconfig=" + kubeconfig,
		"--config=" + c.path("stages.yaml"),
		"--manage-nodes-with-annotation-selector=" + fakeNode + "=fake",
		"--node-lease-duration-seconds=40",
		"--server-address=", // serves nothing
		"--node-port=0",
	})
	if err != nil {
		return err
	}
	c.guard(Kwok, p)

	for i := range c.options.Nodes {
		if _, err := c.client.CoreV1().Nodes().Create(ctx, newNode(fmt.Sprintf("node-%d", i)), metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("create node: %w", err)
		}
	}
	return nil
}

func newNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name:        name,
		Annotations: map[string]string{fakeNode: "fake", "node.alpha.kubernetes.io/ttl": "0"},
		Labels: map[string]string{
			"type":                          "kwok",
			corev1.LabelHostname:            name,
			corev1.LabelOSStable:            "linux",
			corev1.LabelArchStable:          runtime.GOARCH,
			"kubernetes.io/role":            "agent",
			"node-role.kubernetes.io/agent": "",
		},
	}}
}

// waitForNodes waits until every node is Ready and pods may be put on it.
// Without controllers nobody takes the taint away that a node is born with, so
// that is done here.
func (c *Cluster) waitForNodes(ctx context.Context) error {
	if c.options.Nodes == 0 {
		return nil
	}
	nodes := c.client.CoreV1().Nodes()
	return waitFor(ctx, "the nodes", func(ctx context.Context) (bool, error) {
		list, err := nodes.List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		var waiting []string
		for i := range list.Items {
			node := &list.Items[i]
			ready := nodeReady(node)
			if ready && len(node.Spec.Taints) > 0 && !c.options.Controllers {
				node.Spec.Taints = nil
				if node, err = nodes.Update(ctx, node, metav1.UpdateOptions{}); err != nil {
					return false, fmt.Errorf("remove taint of node: %w", err)
				}
			}
			if !ready || len(node.Spec.Taints) > 0 {
				waiting = append(waiting, node.Name)
			}
		}
		if len(waiting) > 0 {
			return false, fmt.Errorf("%d of %d are not Ready: %s", len(waiting), len(list.Items), strings.Join(waiting, ", "))
		}
		return len(list.Items) >= c.options.Nodes, nil
	})
}

func nodeReady(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
