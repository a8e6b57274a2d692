package operator

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

func (o *Options) desiredService(app *v1.MyApp) (*corev1.Service, error) {
	name := o.ServicePort
	if name == "" {
		name = "http"
	}
	annotations := map[string]string{}
	maps.Copy(annotations, app.Spec.ServiceAnnotations)
	maps.Copy(annotations, propagated(app))
	all := map[string]string{}
	maps.Copy(all, app.Spec.ServiceLabels)
	maps.Copy(all, labels(app))
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Labels: all, Annotations: annotations},
		Spec: corev1.ServiceSpec{
			Type:     app.Spec.ServiceType,
			Selector: o.podLabels(app),
			Ports:    servicePorts(app, name),
		},
	}, nil
}

// servicePorts are those of the Service, the built-in one first.
func servicePorts(app *v1.MyApp, name string) []corev1.ServicePort {
	ports := make([]corev1.ServicePort, 0, 1+len(app.Spec.ExtraPorts))
	ports = append(ports, corev1.ServicePort{Name: name, Port: 80, TargetPort: intstr.FromInt32(ptr.Deref(app.Spec.Port, 8080))})
	for _, extra := range app.Spec.ExtraPorts {
		ports = append(ports, corev1.ServicePort{Name: extra.Name, Port: extra.Port, TargetPort: intstr.FromInt32(extra.Port)})
	}
	return ports
}

func desiredIngress(app *v1.MyApp) (*networkingv1.Ingress, error) {
	return &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Labels: labels(app)},
		Spec: networkingv1.IngressSpec{DefaultBackend: &networkingv1.IngressBackend{
			Service: &networkingv1.IngressServiceBackend{Name: app.Name, Port: networkingv1.ServiceBackendPort{Number: 80}},
		}},
	}, nil
}

func hasConfig(app *v1.MyApp) bool { return len(app.Spec.ConfigData) > 0 }

func desiredConfig(app *v1.MyApp) (*corev1.ConfigMap, error) {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name + "-config", Labels: labels(app)},
		Data:       app.Spec.ConfigData,
	}, nil
}

func secretOf(app *v1.MyApp) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: app.Spec.SecretName}}
}
