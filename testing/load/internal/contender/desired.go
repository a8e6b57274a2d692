package contender

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// desiredDeployment is what examples/myapp makes of an app that asks for nothing more.
func desiredDeployment(app *v1.MyApp) (*appsv1.Deployment, error) {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Labels: labels(app)},
		Spec: appsv1.DeploymentSpec{
			Replicas: app.Spec.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels(app)},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels(app)},
				Spec: corev1.PodSpec{NodeSelector: app.Spec.NodeSelector, Containers: []corev1.Container{{
					Name: containerName, Image: app.Spec.Image,
					Ports:           []corev1.ContainerPort{{Name: "http", ContainerPort: app.Spec.Port}},
					SecurityContext: restricted(),
				}}},
			},
		},
	}, nil
}

// desiredService is what examples/myapp makes.
func desiredService(app *v1.MyApp) (*corev1.Service, error) {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Labels: labels(app)},
		Spec: corev1.ServiceSpec{
			Selector: labels(app),
			Ports:    []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("http")}},
		},
	}, nil
}

const containerName = "app"

// restricted is what the restricted pod security standard asks.
func restricted() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		RunAsNonRoot:             new(true),
		SeccompProfile:           &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

func labels(app *v1.MyApp) map[string]string {
	return map[string]string{"app.kubernetes.io/name": "myapp", "app.kubernetes.io/instance": app.Name}
}
