package cluster

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// emptyNamespace deletes every object in a namespace, and reports whether none
// is left. It asks for the kinds each time: a test may have added some.
func (c *Cluster) emptyNamespace(ctx context.Context, namespace string) (bool, error) {
	config := c.Config()
	config.WarningHandlerWithContext = rest.NoWarnings{} // it asks for every kind, also for deprecated ones
	objects, err := metadata.NewForConfig(config)
	if err != nil {
		return false, fmt.Errorf("make client: %w", err)
	}
	resources, err := deletableResources(c.client.Discovery())
	if err != nil {
		return false, err
	}
	now := int64(0)
	empty := true
	for _, resource := range resources {
		kind := objects.Resource(resource).Namespace(namespace)
		list, err := kind.List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil && !apierrors.IsNotFound(err) {
			return false, fmt.Errorf("list %s: %w", resource.Resource, err)
		}
		if err != nil || len(list.Items) == 0 {
			continue
		}
		if err := kind.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{}); err != nil {
			return false, fmt.Errorf("delete all %s: %w", resource.Resource, err)
		}
		left, err := kind.List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			return false, fmt.Errorf("list %s: %w", resource.Resource, err)
		}
		empty = empty && len(left.Items) == 0
	}
	return empty, nil
}

// deletableResources returns the namespaced resources that can be listed and
// deleted as a whole.
func deletableResources(server discovery.DiscoveryInterface) ([]schema.GroupVersionResource, error) {
	lists, err := server.ServerPreferredNamespacedResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return nil, fmt.Errorf("discover resources: %w", err)
	}
	var resources []schema.GroupVersionResource
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("discover resources: %w", err)
		}
		for _, resource := range list.APIResources {
			if slices.Contains(resource.Verbs, "list") && slices.Contains(resource.Verbs, "deletecollection") {
				resources = append(resources, version.WithResource(resource.Name))
			}
		}
	}
	return resources, nil
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
