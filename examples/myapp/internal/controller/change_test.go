package controller_test

import (
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestScale(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("web", image, 1)
	w.awaitReady(app)

	for _, replicas := range []int32{3, 0, 1} {
		scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}
		w.must(w.client.SubResource("scale").Update(w.ctx, app, client.WithSubResourceBody(scale)))
		w.get(app)
		if *app.Spec.Replicas != replicas {
			t.Fatalf("spec.replicas is %d after scaling to %d", *app.Spec.Replicas, replicas)
		}
		w.awaitReady(app)

		w.must(w.client.SubResource("scale").Get(w.ctx, app, scale))
		if scale.Status.Replicas != replicas {
			t.Errorf("the scale subresource counts %d replicas, want %d", scale.Status.Replicas, replicas)
		}
		selector, err := labels.Parse(scale.Status.Selector)
		w.must(err)
		w.await(fmt.Sprintf("the selector finds %d pods", replicas), func() error {
			pods := &corev1.PodList{}
			w.must(w.client.List(w.ctx, pods, client.InNamespace(w.namespace), client.MatchingLabelsSelector{Selector: selector}))
			if len(pods.Items) != int(replicas) {
				return fmt.Errorf("%d pods by %q", len(pods.Items), scale.Status.Selector)
			}
			return nil
		})
	}
}

func TestNewImageIsRolledOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("web", image, 2)
	w.awaitReady(app)
	w.patch(app, func() { app.Spec.Image, app.Spec.Port = "nginxinc/nginx-unprivileged:1.31", 9090 })
	w.awaitReady(app)

	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.namespace}}
	w.get(deployment)
	container := deployment.Spec.Template.Spec.Containers[0]
	if container.Image != "nginxinc/nginx-unprivileged:1.31" || container.Ports[0].ContainerPort != 9090 {
		t.Errorf("the container has image %q and port %d", container.Image, container.Ports[0].ContainerPort)
	}
	if deployment.Status.UpdatedReplicas != 2 || deployment.Status.ObservedGeneration != deployment.Generation {
		t.Errorf("the app was Ready before its Deployment: generation %d, status %+v", deployment.Generation, deployment.Status)
	}
}

func TestDriftIsRepaired(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("web", image, 1)
	w.awaitReady(app)

	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.namespace}}
	w.patch(deployment, func() {
		deployment.Spec.Template.Spec.Containers[0].Image = "evil:1"
		deployment.Spec.Template.Spec.TerminationGracePeriodSeconds = new(int64(5))
	})
	w.await("the image is back", func() error {
		w.get(deployment)
		if is := deployment.Spec.Template.Spec.Containers[0].Image; is != image {
			return fmt.Errorf("image %q", is)
		}
		return nil
	})
	w.awaitReady(app)
	w.get(deployment)
	if is := *deployment.Spec.Template.Spec.TerminationGracePeriodSeconds; is != 5 {
		t.Errorf("the field that the operator has no say in was set from 5 to %d", is)
	}
}

func TestServiceIsRecreated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := w.app("web", image, 1)
	w.awaitReady(app)

	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.namespace}}
	w.get(service)
	gone := service.UID
	w.must(w.client.Delete(w.ctx, service))
	w.await("there is another Service", func() error {
		if err := w.client.Get(w.ctx, client.ObjectKeyFromObject(service), service); err != nil {
			return err
		}
		if service.UID == gone {
			return fmt.Errorf("it is still %s", gone)
		}
		return nil
	})
	w.awaitReady(app)
	if port := service.Spec.Ports[0]; port.Port != 80 || port.TargetPort.String() != "http" {
		t.Errorf("the Service has port %+v", port)
	}
}
