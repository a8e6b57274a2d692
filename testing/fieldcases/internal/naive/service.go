package naive

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

func (r *Reconciler) service(ctx context.Context, app *v1.MyApp) error {
	desired := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name, Labels: app.Spec.ServiceLabels, Annotations: app.Spec.ServiceAnnotations},
		Spec: corev1.ServiceSpec{
			Type:     app.Spec.ServiceType,
			Selector: map[string]string{"app": r.podLabel(app)},
			Ports:    []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromInt32(ptr.Deref(app.Spec.Port, 8080))}},
		},
	}
	for _, extra := range app.Spec.ExtraPorts {
		desired.Spec.Ports = append(desired.Spec.Ports, corev1.ServicePort{Name: extra.Name, Port: extra.Port})
	}
	owned(app, &desired.ObjectMeta)
	existing := &corev1.Service{}
	return r.keep(ctx, desired, existing, func() bool {
		desired.Labels = merged(existing.Labels, desired.Labels)
		desired.Annotations = merged(existing.Annotations, desired.Annotations)
		return reflect.DeepEqual(desired.Spec, existing.Spec) && reflect.DeepEqual(desired.Labels, existing.Labels)
	})
}

func emptyIngress() *networkingv1.Ingress { return &networkingv1.Ingress{} }

func (r *Reconciler) ingress(ctx context.Context, app *v1.MyApp) error {
	desired := &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name},
		Spec: networkingv1.IngressSpec{DefaultBackend: &networkingv1.IngressBackend{
			Service: &networkingv1.IngressServiceBackend{Name: app.Name, Port: networkingv1.ServiceBackendPort{Number: 80}},
		}},
	}
	owned(app, &desired.ObjectMeta)
	if !app.Spec.Expose {
		return client.IgnoreNotFound(r.Client.Delete(ctx, desired))
	}
	existing := emptyIngress()
	return r.keep(ctx, desired, existing, func() bool { return reflect.DeepEqual(desired.Spec, existing.Spec) })
}

// elsewhere keeps a ConfigMap in another namespace.
func (r *Reconciler) elsewhere(ctx context.Context, app *v1.MyApp) error {
	if !r.Reaches {
		return nil
	}
	desired := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%s", app.Name, app.Namespace)}}
	owned(app, &desired.ObjectMeta)
	desired.Namespace = r.Other
	existing := &corev1.ConfigMap{}
	return r.keep(ctx, desired, existing, func() bool { return slices.Equal(existing.OwnerReferences, desired.OwnerReferences) })
}
