package operator

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/trueup-dev/trueup/resources"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

type deployed = *appsv1.Deployment

// HashAnnotation is on pods, with a digest of their configuration.
const HashAnnotation = "myapp.example/config"

// podLabels of an app.
func (o *Options) podLabels(app *v1.MyApp) map[string]string {
	if o.PodLabel != "" {
		return map[string]string{"app": o.PodLabel}
	}
	return map[string]string{"app": app.Name}
}

func (o *Options) desiredDeployment(app *v1.MyApp, run run, config *resources.Child[*v1.MyApp, *corev1.ConfigMap]) (deployed, error) {
	podLabels := maps.Clone(app.Spec.PodLabels)
	if podLabels == nil {
		podLabels = map[string]string{}
	}
	maps.Copy(podLabels, o.podLabels(app))
	podAnnotations := map[string]string{}
	maps.Copy(podAnnotations, app.Spec.PodAnnotations)
	if stored, ok := config.Observed(run); ok {
		podAnnotations[HashAnnotation] = Hash(stored.Data)
	}
	port := ptr.Deref(app.Spec.Port, 8080)
	container := corev1.Container{
		Name:      "app",
		Image:     app.Spec.Image,
		Ports:     []corev1.ContainerPort{{ContainerPort: port}},
		Resources: app.Spec.Resources,
	}
	for _, name := range slices.Sorted(maps.Keys(app.Spec.Env)) {
		container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: app.Spec.Env[name]})
	}
	if o.Probed {
		container.ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromInt32(port)},
		}}
	}
	pod := corev1.PodSpec{Containers: []corev1.Container{container}, NodeSelector: app.Spec.NodeSelector}
	if app.Spec.SecretName != "" {
		pod.Volumes = []corev1.Volume{{Name: "secret", VolumeSource: corev1.VolumeSource{
			Secret: &corev1.SecretVolumeSource{SecretName: app.Spec.SecretName},
		}}}
	}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Labels: labels(app), Annotations: propagated(app)},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To(ptr.Deref(app.Spec.Replicas, 1)),
			Selector: &metav1.LabelSelector{MatchLabels: o.podLabels(app)},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: podLabels, Annotations: podAnnotations},
				Spec:       pod,
			},
		},
	}, nil
}

// Hash is a digest of content and nothing else.
func Hash(content any) string {
	data, err := json.Marshal(content) // maps in the order of their keys
	if err != nil {
		return err.Error()
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:4])
}
