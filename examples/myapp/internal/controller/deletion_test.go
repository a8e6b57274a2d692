package controller_test

import (
	"errors"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

func TestDeletionLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("web", image, 2)
	w.awaitReady(app)
	host := "web." + w.namespace + ".example.com"
	if _, ok := w.operator.Zone.Lookup(host); !ok {
		t.Fatalf("the zone has no %s", host)
	}

	w.must(w.client.Delete(w.ctx, app))
	w.await("everything is gone", func() error {
		var left []error
		for _, list := range []client.ObjectList{
			&v1.MyAppList{}, &appsv1.DeploymentList{}, &appsv1.ReplicaSetList{}, &corev1.PodList{},
			&corev1.ServiceList{}, &discoveryv1.EndpointSliceList{},
		} {
			w.must(w.client.List(w.ctx, list, client.InNamespace(w.namespace)))
			if n := meta.LenList(list); n > 0 {
				left = append(left, fmt.Errorf("%T has %d items", list, n))
			}
		}
		return errors.Join(left...)
	})
	if target, ok := w.operator.Zone.Lookup(host); ok {
		t.Errorf("the zone still points %s to %s", host, target)
	}
	w.quiet()
}
