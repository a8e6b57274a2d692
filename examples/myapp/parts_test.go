package main

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// full asks for everything that an app may have.
func full(spec *v1.MyAppSpec) {
	spec.Probes = &v1.Probes{Path: "/ready"}
	spec.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1000m")}
	spec.Env = []v1.EnvVar{{Name: "MODE", Value: "production"}}
	spec.Config = map[string]string{"app.conf": "a=1"}
	spec.SecretName = "settings"
	spec.Spread = v1.SpreadZone
	spec.Ingress = &v1.Ingress{Host: "web.example.com", ClassName: new("nginx"), TLSSecretName: "web-tls"}
	spec.Autoscaling = &v1.Autoscaling{MinReplicas: new(int32(2)), MaxReplicas: 5}
	spec.Disruption = &v1.Disruption{}
	spec.ServiceAccount = &v1.ServiceAccount{Annotations: map[string]string{"cloud.example.com/role": "web"}}
	spec.NetworkPolicy = &v1.NetworkPolicy{FromNamespaces: []string{"ingress"}}
}

// parts are an object of each kind that an app may have and need not.
func parts() []client.Object {
	return []client.Object{
		&corev1.ConfigMap{}, &corev1.ServiceAccount{}, &networkingv1.Ingress{}, &networkingv1.NetworkPolicy{},
		&autoscalingv2.HorizontalPodAutoscaler{}, &policyv1.PodDisruptionBudget{},
	}
}

// TestParts has an app with everything, with the longest name, and takes it all
// away again; each change is made with as few writes as there is to change, and
// the operator is quiet after it.
func TestParts(t *testing.T) {
	s := newSite(t, "config/without-webhooks")
	namespace := s.env.Namespace(t)
	app := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: strings.Repeat("a", 63)},
		Spec:       v1.MyAppSpec{Image: "img:1", Replicas: new(int32(4))},
	}
	full(&app.Spec)
	s.must(s.client.Create(s.ctx, app))
	s.start([]string{"--metrics-bind-address=0", "--namespaces=" + namespace})
	s.await("the app waits for its Secret", func() error {
		if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(app), app); err != nil {
			return err
		}
		if text := fmt.Sprint(app.Status.Conditions); !strings.Contains(text, "settings") {
			return fmt.Errorf("it says %s", text)
		}
		return nil
	})
	deployment := &appsv1.Deployment{}
	if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(app), deployment); !apierrors.IsNotFound(err) {
		t.Errorf("there is a Deployment without its Secret: %v", err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "settings"}, StringData: map[string]string{"TOKEN": "1"}}
	s.must(s.client.Create(s.ctx, secret))
	s.awaitDeployment(app, 1) // what the autoscaler makes of it is its own business
	for _, part := range parts() {
		s.await(fmt.Sprintf("there is a %T", part), func() error { return s.client.Get(s.ctx, client.ObjectKeyFromObject(app), part) })
	}
	s.settle(namespace, 0)

	s.rollsOut(app, "the Secret is rotated", func() {
		secret.StringData = map[string]string{"TOKEN": "2"}
		s.must(s.client.Update(s.ctx, secret))
	})
	s.rollsOut(app, "the files change", func() { s.edit(app, func() { app.Spec.Config = map[string]string{"app.conf": "a=2"} }) })

	s.must(s.client.Get(s.ctx, client.ObjectKeyFromObject(app), deployment))
	scaled := deployment.DeepCopy()
	scaled.Spec.Replicas = new(int32(3))
	s.must(s.client.Patch(s.ctx, scaled, client.MergeFrom(deployment), client.FieldOwner("autoscaler")))
	s.settle(namespace, 0)
	s.awaitDeployment(app, 3)

	s.edit(app, func() { app.Spec = v1.MyAppSpec{Image: "img:1", Replicas: new(int32(4))} })
	s.awaitDeployment(app, 4)
	for _, part := range parts() {
		s.await(fmt.Sprintf("there is no %T", part), func() error {
			err := s.client.Get(s.ctx, client.ObjectKeyFromObject(app), part)
			if err == nil {
				return fmt.Errorf("there is one")
			}
			return client.IgnoreNotFound(err)
		})
	}
	s.must(s.stop())
}

// edit changes an app.
func (s *site) edit(app *v1.MyApp, change func()) {
	s.Helper()
	s.must(s.client.Get(s.ctx, client.ObjectKeyFromObject(app), app))
	before := app.DeepCopy()
	change()
	s.must(s.client.Patch(s.ctx, app, client.MergeFrom(before)))
}

// settle waits until the operator is quiet, and fails the test if it has applied
// the Deployment more often than it should since it last was.
func (s *site) settle(namespace string, applies int) {
	s.Helper()
	here := func(r steptest.Request) bool { return r.Namespace == namespace }
	_, err := s.requests.Quiet(s.ctx, here)
	s.must(err)
	sent := s.requests.All(here, func(r steptest.Request) bool { return r.Apply && r.Resource == "deployments" })
	if applies > 0 && len(sent) != applies {
		s.Errorf("%d applies of the Deployment, want %d: %v", len(sent), applies, sent)
	}
	s.requests.Reset()
}

// rollsOut makes sure that a change gives the pods another template, in one write.
func (s *site) rollsOut(app *v1.MyApp, what string, change func()) {
	s.Helper()
	deployment := &appsv1.Deployment{}
	s.must(s.client.Get(s.ctx, client.ObjectKeyFromObject(app), deployment))
	before := fmt.Sprint(deployment.Spec.Template.Annotations)
	change()
	s.await("pods start anew when "+what, func() error {
		if err := s.client.Get(s.ctx, client.ObjectKeyFromObject(app), deployment); err != nil {
			return err
		}
		if now := fmt.Sprint(deployment.Spec.Template.Annotations); now == before {
			return fmt.Errorf("the annotations are still %s", now)
		}
		return nil
	})
	s.settle(app.Namespace, 1)
}
