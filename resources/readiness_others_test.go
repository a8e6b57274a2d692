package resources_test

import (
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
)

func TestReadinessOfAServiceOnAServer(t *testing.T) {
	service := &corev1.Service{ObjectMeta: named, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
	play{object: service, before: "ready", states: []state{
		{reason: "a load balancer is ordered", want: "NoAddress", change: func() error {
			service.Spec.Type = corev1.ServiceTypeLoadBalancer
			return nil
		}},
		{reason: "it has been delivered", want: "ready", write: func() {
			service.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
		}},
	}}.perform(t)
}

func TestReadinessOfAnIngressOnAServer(t *testing.T) {
	ingress := &networkingv1.Ingress{ObjectMeta: named, Spec: networkingv1.IngressSpec{DefaultBackend: &networkingv1.IngressBackend{
		Service: &networkingv1.IngressServiceBackend{Name: "web", Port: networkingv1.ServiceBackendPort{Number: 80}},
	}}}
	play{object: ingress, before: "NoAddress", states: []state{
		{reason: "somebody serves it", want: "ready", write: func() {
			ingress.Status.LoadBalancer.Ingress = []networkingv1.IngressLoadBalancerIngress{{Hostname: "lb.example.com"}}
		}},
	}}.perform(t)
}

func TestReadinessOfAnAutoscalerOnAServer(t *testing.T) {
	h := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: named, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		MaxReplicas:    3,
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
	}}
	old := &autoscalingv1.HorizontalPodAutoscaler{}
	is := func(kind autoscalingv2.HorizontalPodAutoscalerConditionType, status corev1.ConditionStatus, reason string) autoscalingv2.HorizontalPodAutoscalerCondition {
		return autoscalingv2.HorizontalPodAutoscalerCondition{Type: kind, Status: status, Reason: reason}
	}
	play{object: h, before: "NotActive", states: []state{
		{reason: "there are no metrics", want: "FailedGetResourceMetric", write: func() {
			h.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{
				is(autoscalingv2.AbleToScale, "True", "SucceededGetScale"), is(autoscalingv2.ScalingActive, "False", "FailedGetResourceMetric"),
			}
		}},
		{reason: "there are", want: "ready", write: func() {
			h.Status.Conditions[1] = is(autoscalingv2.ScalingActive, "True", "ValidMetricFound")
			old.Name, old.Namespace = h.Name, h.Namespace
		}},
	}}.perform(t)
	// The other version of the API has the conditions elsewhere.
	user, err := client.New(cluster.Shared(t).Config(), client.Options{Scheme: scheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	if err := user.Get(t.Context(), client.ObjectKeyFromObject(old), old); err != nil {
		t.Fatal(err)
	}
	if got := resources.ReadinessOf(old); !got.Ready {
		t.Errorf("as version 1: got %+v, want ready", got)
	}
}

func TestReadinessOfAClaimOnAServer(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: named, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")}},
	}}
	play{object: claim, before: "NotBound", states: []state{
		{reason: "its volume is too small", want: "Resizing", write: func() {
			claim.Status.Phase = corev1.ClaimBound
			claim.Status.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
		}},
		{reason: "its volume is large enough", want: "ready", write: func() {
			claim.Status.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2048Mi")}
		}},
	}}.perform(t)
}

func TestReadinessOfABudgetOnAServer(t *testing.T) {
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: named, Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector}}
	play{object: budget, before: "LatestGenerationNotObserved", states: []state{
		{reason: "it is reckoned with", want: "ready", write: func() { budget.Status.ObservedGeneration = 1 }},
	}}.perform(t)
}

func TestReadinessOfACustomResourceOnAServer(t *testing.T) {
	app := &v1.MyApp{ObjectMeta: named, Spec: v1.MyAppSpec{Image: "img:1"}}
	condition := metav1.Condition{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Ready", ObservedGeneration: 1, LastTransitionTime: metav1.Now()}
	play{object: app, before: "LatestGenerationNotObserved/ready", states: []state{
		{reason: "its controller says so", want: "ready", write: func() {
			app.Status.ObservedGeneration, app.Status.Conditions = 1, []metav1.Condition{condition}
		}},
		{reason: "it is changed", want: "LatestGenerationNotObserved", change: func() error { app.Spec.Image = "img:2"; return nil }},
		{reason: "only the condition is old", want: "LatestGenerationNotObserved", write: func() { app.Status.ObservedGeneration = 2 }},
		{reason: "all of it is new", want: "ready", write: func() { app.Status.Conditions[0].ObservedGeneration = 2 }},
	}}.perform(t)
}

func TestReadinessOfANamespaceAndADefinitionOnAServer(t *testing.T) {
	shared := cluster.Shared(t)
	user, err := client.New(shared.Config(), client.Options{Scheme: scheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: shared.Namespace(t)}}
	judged := func(object client.Object) string {
		t.Helper()
		if err := user.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			t.Fatal(err)
		}
		return said(resources.ReadinessOf(object))
	}
	if got := judged(namespace); got != "ready" {
		t.Errorf("a namespace: got %s, want ready", got)
	}
	if err := user.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	if got := judged(namespace); got != "Terminating" {
		t.Errorf("a namespace that is being deleted: got %s, want Terminating", got)
	}
	definition := &unstructured.Unstructured{}
	definition.SetAPIVersion("apiextensions.k8s.io/v1")
	definition.SetKind("CustomResourceDefinition")
	definition.SetName("myapps." + v1.GroupVersion.Group)
	if got := judged(definition); got != "ready" {
		t.Errorf("a CustomResourceDefinition that is served: got %s, want ready", got)
	}
}
