package cluster_test

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/cluster"
)

// The zero options start the API server alone.
func ExampleStart() {
	ctx := context.Background()
	env, err := cluster.Start(ctx, cluster.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	defer func() { _ = env.Stop() }()

	c, err := client.New(env.Config(), client.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	var namespace corev1.Namespace
	if err := c.Get(ctx, client.ObjectKey{Name: "default"}, &namespace); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(namespace.Name, namespace.Status.Phase)
	// Output: default Active
}
