package controller

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
)

// hasIngress reports whether the world is let in.
func hasIngress(app *v1.MyApp) bool { return app.Spec.Ingress != nil }

// desiredIngress leads from the host to the Service.
func desiredIngress(app *v1.MyApp) (*networkingv1.Ingress, error) {
	want := app.Spec.Ingress
	ingress := &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Labels: labels(app)},
		Spec: networkingv1.IngressSpec{
			IngressClassName: want.ClassName,
			Rules: []networkingv1.IngressRule{{
				Host: want.Host,
				IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
					Paths: []networkingv1.HTTPIngressPath{{
						Path: "/", PathType: new(networkingv1.PathTypePrefix),
						Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{
							Name: app.Name, Port: networkingv1.ServiceBackendPort{Name: "http"},
						}},
					}},
				}},
			}},
		},
	}
	if want.TLSSecretName != "" {
		ingress.Spec.TLS = []networkingv1.IngressTLS{{Hosts: []string{want.Host}, SecretName: want.TLSSecretName}}
	}
	return ingress, nil
}
