package controller

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// containerOf runs the image as the restricted pod security standard asks.
func containerOf(app *v1.MyApp) corev1.Container {
	container := corev1.Container{
		Name: "app", Image: app.Spec.Image,
		Ports:     []corev1.ContainerPort{{Name: "http", ContainerPort: app.Spec.Port}},
		Resources: app.Spec.Resources,
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false),
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
			RunAsNonRoot:             new(true),
			SeccompProfile:           &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
	}
	for _, variable := range app.Spec.Env {
		container.Env = append(container.Env, corev1.EnvVar{Name: variable.Name, Value: variable.Value})
	}
	if secret := secretOf(app); secret != nil {
		source := &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: secret.Name}}
		container.EnvFrom = []corev1.EnvFromSource{{SecretRef: source}}
	}
	if hasConfig(app) {
		container.VolumeMounts = []corev1.VolumeMount{{Name: "config", MountPath: "/etc/myapp", ReadOnly: true}}
	}
	if probes := app.Spec.Probes; probes != nil {
		ask := corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: probes.Path, Port: intstr.FromString("http")}}
		container.ReadinessProbe = &corev1.Probe{ProbeHandler: ask}
		// One that is slow to start or busy is not killed for it at once.
		container.LivenessProbe = &corev1.Probe{ProbeHandler: ask, PeriodSeconds: 10, FailureThreshold: 6}
	}
	return container
}
