package resources

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

func TestCanonical(t *testing.T) {
	for name, test := range map[string]struct {
		reason  string
		desired client.Object
		want    string
	}{
		"zero structs": {
			reason: "what only Go's zero values put there is dropped, at any depth",
			desired: &appsv1.Deployment{
				ObjectMeta: metav1.ObjectMeta{Name: "web"},
				Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
					Containers: []corev1.Container{{Name: "app", Image: "img"}},
				}}},
			},
			want: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: null
  template: {spec: {containers: [{image: img, name: app}]}}`,
		},
		"meant emptiness": {
			reason: "an empty struct behind a pointer, an empty list and an explicit zero are the author's",
			desired: &appsv1.Deployment{
				ObjectMeta: metav1.ObjectMeta{Name: "web"},
				Spec: appsv1.DeploymentSpec{
					Replicas: ptr.To[int32](0),
					Selector: &metav1.LabelSelector{},
					Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
						Containers: []corev1.Container{},
						Volumes: []corev1.Volume{{Name: "tmp", VolumeSource: corev1.VolumeSource{
							EmptyDir: &corev1.EmptyDirVolumeSource{},
						}}},
					}},
				},
			},
			want: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {}
  template: {spec: {containers: [], volumes: [{name: tmp, emptyDir: {}}]}}`,
		},
		"target port": {
			reason: "a zero IntOrString is no port; one that is set stays",
			desired: &corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Name: "web"},
				Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{
					{Port: 80}, {Port: 81, TargetPort: intstr.FromString("http")},
				}},
			},
			want: `
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {ports: [{port: 80}, {port: 81, targetPort: http}]}`,
		},
		"string data": {
			reason: "stringData is folded into data, where it wins, because the server keeps nothing else",
			desired: &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Name: "web"},
				Data:       map[string][]byte{"a": []byte("old"), "b": []byte("b")},
				StringData: map[string]string{"a": "new", "c": ""},
			},
			want: `
apiVersion: v1
kind: Secret
metadata: {name: web}
data: {a: bmV3, b: Yg==, c: ""}`,
		},
		"server's fields": {
			reason: "what the server sets is not sent back to it (C73)",
			desired: &networkingv1.Ingress{
				ObjectMeta: metav1.ObjectMeta{
					Name: "web", UID: "u", ResourceVersion: "7", Generation: 3,
					CreationTimestamp: metav1.Unix(1, 0), DeletionTimestamp: ptr.To(metav1.Unix(2, 0)),
					ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}},
				},
				Status: networkingv1.IngressStatus{LoadBalancer: networkingv1.IngressLoadBalancerStatus{
					Ingress: []networkingv1.IngressLoadBalancerIngress{{IP: "10.0.0.1"}},
				}},
			},
			want: `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}`,
		},
		"values with a form of their own": {
			reason: "quantities and times are left as they are written",
			desired: &corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Name: "web"},
				Spec: corev1.PersistentVolumeClaimSpec{Resources: corev1.VolumeResourceRequirements{
					Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")},
				}},
			},
			want: `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: web}
spec: {resources: {requests: {storage: 1Gi}}}`,
		},
		"unstructured": {
			reason: "what an author of an unstructured child writes is meant, but for the status",
			desired: &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "example.com/v1", "kind": "Thing",
				"metadata": map[string]any{"name": "web"},
				"spec":     map[string]any{"empty": map[string]any{}},
				"status":   map[string]any{"ready": true},
			}},
			want: `
apiVersion: example.com/v1
kind: Thing
metadata: {name: web}
spec: {empty: {}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := test.desired.DeepCopyObject()
			raw, err := json.Marshal(test.desired)
			if err != nil {
				t.Fatal(err)
			}
			got, err := canonical(raw, test.desired, test.desired, clientgoscheme.Scheme)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]any{}
			if err := yaml.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(roundTrip(t, want), roundTrip(t, got)); diff != "" {
				t.Errorf("%s: body (-want +got):\n%s", test.reason, diff)
			}
			if diff := cmp.Diff(before, test.desired); diff != "" {
				t.Errorf("the author's object was changed (-before +after):\n%s", diff)
			}
		})
	}
}

// roundTrip makes the numbers of both sides the same type.
func roundTrip(t *testing.T, value map[string]any) map[string]any {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
