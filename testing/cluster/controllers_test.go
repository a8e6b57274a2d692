package cluster

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// widgets are what the definition in testdata defines.
var widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

func newWidget(name string, size int64) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget",
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"size": size},
	}}
}

// TestGarbageCollection deletes an owner of a kind that came with the options.
func TestGarbageCollection(t *testing.T) {
	c := Shared(t)
	namespace := c.Namespace(t)
	client := clientFor(t, c.Config())
	custom, err := dynamic.NewForConfig(c.Config())
	if err != nil {
		t.Fatal(err)
	}
	owner, err := custom.Resource(widgets).Namespace(namespace).Create(t.Context(), newWidget("owner", 1), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	child, err := client.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name:            "child",
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, owner.GroupVersionKind())},
	}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := custom.Resource(widgets).Namespace(namespace).Delete(t.Context(), owner.GetName(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the child is gone", func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().ConfigMaps(namespace).Get(ctx, child.Name, metav1.GetOptions{})
		return apierrors.IsNotFound(err), err
	})
}

func TestNamespaceDeletionCompletes(t *testing.T) {
	c := Shared(t)
	client := clientFor(t, c.Config())
	namespace, err := client.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "deleted-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().ConfigMaps(namespace.Name).Create(t.Context(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "content"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := client.CoreV1().Namespaces().Delete(t.Context(), namespace.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the namespace is gone", func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().Namespaces().Get(ctx, namespace.Name, metav1.GetOptions{})
		return apierrors.IsNotFound(err), err
	})
}

func TestEndpointSlicesFollowPods(t *testing.T) {
	c := Shared(t)
	namespace := c.Namespace(t)
	client := clientFor(t, c.Config())
	if _, err := client.CoreV1().Services(namespace).Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Pods(namespace).Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web"}}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the Service has a ready endpoint", func(ctx context.Context) (bool, error) {
		slices, err := client.DiscoveryV1().EndpointSlices(namespace).List(ctx,
			metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=web"})
		if err != nil {
			return false, err
		}
		for _, slice := range slices.Items {
			for _, endpoint := range slice.Endpoints {
				if ready := endpoint.Conditions.Ready; ready != nil && *ready {
					return true, nil
				}
			}
		}
		return false, nil
	})
}
