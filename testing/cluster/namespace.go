package cluster

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cleanUpTimeout bounds what is done for a namespace after its test.
const cleanUpTimeout = 30 * time.Second

// Labels are labels of a namespace, by key.
type Labels map[string]string

// Namespace creates a namespace for a test and returns its name, which starts
// with the test's. When the cluster has controllers, the namespace has its
// default service account, so that pods can be created.
//
// After the test it is deleted with all that is in it. Where the cluster has
// controllers, they do it, and the test does not wait for them; where it has
// none, it is done before the test is over, except for objects that have
// finalizers: those stay, and so does the namespace.
//
// The namespace has the given labels, for admission and selectors to go by, from
// the start. Defaults to none.
func (c *Cluster) Namespace(t testing.TB, labels ...Labels) string {
	t.Helper()
	all := Labels{}
	for _, some := range labels {
		maps.Copy(all, some)
	}
	ctx, cancel := context.WithTimeout(context.Background(), cleanUpTimeout)
	defer cancel()
	namespace, err := c.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{GenerateName: namespacePrefix(t.Name()), Labels: all},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatalf("create namespace: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cleanUpTimeout)
		defer cancel()
		if err := c.deleteNamespace(ctx, namespace.Name); err != nil && !c.ended() {
			t.Errorf("delete namespace %s: %v", namespace.Name, err)
		}
	})
	if c.options.Controllers {
		if err := waitFor(ctx, "the default service account of "+namespace.Name, func(ctx context.Context) (bool, error) {
			_, err := c.client.CoreV1().ServiceAccounts(namespace.Name).Get(ctx, "default", metav1.GetOptions{})
			return err == nil, err
		}); err != nil {
			t.Fatal(err)
		}
	}
	return namespace.Name
}

// namespacePrefix makes of a test's name what a namespace's may start with.
func namespacePrefix(test string) string {
	const room = 63 - 6 // what GenerateName adds, and the dash before it
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, test)
	name = strings.Trim(name[:min(len(name), room)], "-")
	if name == "" {
		name = "test"
	}
	return name + "-"
}

// deleteNamespace deletes a namespace. Without a namespace controller it does
// its work: empty the namespace, then take its finalizer away.
func (c *Cluster) deleteNamespace(ctx context.Context, name string) error {
	namespaces := c.client.CoreV1().Namespaces()
	if err := namespaces.Delete(ctx, name, metav1.DeleteOptions{}); err != nil || c.options.Controllers {
		return ignoreNotFound(err)
	}
	empty, err := c.emptyNamespace(ctx, name)
	if err != nil || !empty {
		return err
	}
	namespace, err := namespaces.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return ignoreNotFound(err)
	}
	namespace.Spec.Finalizers = nil
	if _, err := namespaces.Finalize(ctx, namespace, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("finalize: %w", err)
	}
	return nil
}
