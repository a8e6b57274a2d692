package main

import (
	"fmt"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// TestReplicasAreHandedOver turns an autoscaler on and off. There are never fewer
// pods for it, and once it is on, their number is its business.
func TestReplicasAreHandedOver(t *testing.T) {
	s := newSite(t, "config/without-webhooks")
	namespace := s.env.Namespace(t)
	seen := s.watchReplicas(namespace)
	app := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"},
		Spec:       v1.MyAppSpec{Image: "img:1", Replicas: new(int32(4))},
	}
	s.must(s.client.Create(s.ctx, app))
	s.start([]string{"--metrics-bind-address=0", "--namespaces=" + namespace})
	s.awaitDeployment(app, 4)
	turn := func(on bool, image string) {
		s.edit(app, func() {
			app.Spec.Image, app.Spec.Autoscaling = image, nil
			if on {
				app.Spec.Autoscaling = &v1.Autoscaling{MinReplicas: new(int32(2)), MaxReplicas: 9}
			}
		})
		s.await("the Deployment runs "+image, func() error {
			deployment := &appsv1.Deployment{}
			if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(app), deployment); err != nil {
				return err
			}
			if is := deployment.Spec.Template.Spec.Containers[0].Image; is != image {
				return fmt.Errorf("it runs %s", is)
			}
			return nil
		})
		s.settle(namespace, 0)
	}
	turn(true, "img:2")
	s.awaitDeployment(app, 4)
	scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 6}}
	deployment := s.awaitDeployment(app, 4)
	s.must(s.client.SubResource("scale").Update(s.ctx, deployment, client.WithSubResourceBody(scale), client.FieldOwner("autoscaler")))
	turn(true, "img:3")
	s.awaitDeployment(app, 6)
	turn(false, "img:4")
	s.awaitDeployment(app, 4)
	turn(true, "img:5")
	s.awaitDeployment(app, 4)
	turn(false, "img:6")
	s.edit(app, func() { app.Spec.Replicas = new(int32(0)) })
	s.awaitDeployment(app, 0)
	turn(true, "img:7")
	s.awaitDeployment(app, 1) // an autoscaler leaves alone what has none
	if got, want := fmt.Sprint(seen()), "[4 6 4 0 1]"; got != want {
		t.Errorf("there were %s replicas, want %s", got, want)
	}
	s.must(s.stop())
}

// watchReplicas watches the Deployments of a namespace, and returns what says how
// many replicas one after the other was to have.
func (s *site) watchReplicas(namespace string) func() []int32 {
	s.Helper()
	admin, err := kubernetes.NewForConfig(s.env.Config())
	s.must(err)
	events, err := admin.AppsV1().Deployments(namespace).Watch(s.ctx, metav1.ListOptions{})
	s.must(err)
	s.Cleanup(events.Stop)
	var mu sync.Mutex
	var seen []int32
	go func() {
		for event := range events.ResultChan() {
			deployment, ok := event.Object.(*appsv1.Deployment)
			mu.Lock()
			if ok && (len(seen) == 0 || seen[len(seen)-1] != *deployment.Spec.Replicas) {
				seen = append(seen, *deployment.Spec.Replicas)
			}
			mu.Unlock()
		}
	}()
	return func() []int32 {
		mu.Lock()
		defer mu.Unlock()
		return seen
	}
}
