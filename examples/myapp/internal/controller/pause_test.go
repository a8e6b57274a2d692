package controller_test

import (
	"errors"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

func TestPause(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	app := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.namespace, Annotations: map[string]string{"apps.example.com/paused": "true"}},
		Spec:       v1.MyAppSpec{Image: image},
	}
	w.must(w.client.Create(w.ctx, app))
	w.awaitCondition(app, "Ready", metav1.ConditionUnknown, "Paused")
	w.quiet()
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.namespace}}
	if err := w.client.Get(w.ctx, client.ObjectKeyFromObject(deployment), deployment); !apierrors.IsNotFound(err) {
		t.Errorf("a paused app got a Deployment: %v", err)
	}

	w.patch(app, func() { app.Annotations = nil })
	w.awaitReady(app)

	w.patch(app, func() { app.Annotations = map[string]string{"apps.example.com/paused": "true"} })
	w.awaitCondition(app, "Ready", metav1.ConditionUnknown, "Paused")
	w.patch(deployment, func() { deployment.Spec.Replicas = new(int32(0)) })
	w.quiet()
	if w.get(deployment); *deployment.Spec.Replicas != 0 {
		t.Error("the Deployment of a paused app was put right")
	}
	w.must(w.client.Delete(w.ctx, app))
	w.await("the app is gone", func() error {
		err := w.client.Get(w.ctx, client.ObjectKeyFromObject(app), app)
		if err == nil {
			return errors.New("it is still there")
		}
		return client.IgnoreNotFound(err)
	})
}
