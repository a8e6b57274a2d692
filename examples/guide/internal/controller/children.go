package controller

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/trueup-dev/trueup/examples/guide/api/v1"
)

// labels tell the pods of a site from all others.
func labels(site *v1.Website) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "website", "app.kubernetes.io/instance": site.Name}
}

// desiredConfigMap holds the pages.
func desiredConfigMap(site *v1.Website) (*corev1.ConfigMap, error) {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: site.Name, Labels: labels(site)},
		Data:       site.Spec.Pages,
	}, nil
}

// desiredDeployment serves the pages. Its pods start anew when the pages change.
func desiredDeployment(site *v1.Website) (*appsv1.Deployment, error) {
	text, err := json.Marshal(site.Spec.Pages) // sorted by name
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	hash := map[string]string{"web.example.com/pages-hash": hex.EncodeToString(sum[:8])}
	pages := corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: site.Name}}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: site.Name, Labels: labels(site)},
		Spec: appsv1.DeploymentSpec{
			Replicas: site.Spec.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels(site)},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels(site), Annotations: hash},
				Spec: corev1.PodSpec{
					Volumes: []corev1.Volume{{Name: "pages", VolumeSource: corev1.VolumeSource{ConfigMap: &pages}}},
					Containers: []corev1.Container{{
						Name: "web", Image: "nginxinc/nginx-unprivileged:1.29",
						Ports:        []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}},
						VolumeMounts: []corev1.VolumeMount{{Name: "pages", MountPath: "/usr/share/nginx/html", ReadOnly: true}},
					}},
				},
			},
		},
	}, nil
}

// desiredService is how the CDN gets to the pods.
func desiredService(site *v1.Website) (*corev1.Service, error) {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: site.Name, Labels: labels(site)},
		Spec: corev1.ServiceSpec{
			Selector: labels(site),
			Ports:    []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("http")}},
		},
	}, nil
}
