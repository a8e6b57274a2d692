package contender

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
)

// createOrUpdate keeps children with controllerutil.CreateOrUpdate. The mutate
// functions set only what they want, and in the server's form, so that what the
// server fills in is no difference.
type createOrUpdate struct{ client client.Client }

func newCreateOrUpdate(mgr ctrl.Manager) (ctrlreconcile.Reconciler, *reconcile.Memory, error) {
	return &handwritten{
		client: mgr.GetClient(), zone: newZone(), children: createOrUpdate{mgr.GetClient()},
	}, nil, nil
}

func (c createOrUpdate) deployment(ctx context.Context, app *v1.MyApp) (*appsv1.Deployment, error) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: app.Name, Namespace: app.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, c.client, d, func() error {
		d.Labels = with(d.Labels, labels(app))
		d.Spec.Replicas = app.Spec.Replicas
		if d.Spec.Selector == nil { // immutable
			d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels(app)}
		}
		d.Spec.Template.Labels = with(d.Spec.Template.Labels, labels(app))
		d.Spec.Template.Spec.NodeSelector = app.Spec.NodeSelector
		container := containerOf(&d.Spec.Template.Spec)
		container.Image = app.Spec.Image
		container.Ports = []corev1.ContainerPort{
			{Name: "http", ContainerPort: app.Spec.Port, Protocol: corev1.ProtocolTCP},
		}
		container.SecurityContext = restricted()
		return controllerutil.SetControllerReference(app, d, c.client.Scheme())
	})
	if err != nil {
		return nil, fmt.Errorf("create or update Deployment %s/%s: %w", app.Namespace, app.Name, err)
	}
	return d, nil
}

func (c createOrUpdate) service(ctx context.Context, app *v1.MyApp) error {
	s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: app.Name, Namespace: app.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, c.client, s, func() error {
		s.Labels = with(s.Labels, labels(app))
		s.Spec.Selector = labels(app)
		s.Spec.Ports = []corev1.ServicePort{
			{Name: "http", Port: 80, TargetPort: intstr.FromString("http"), Protocol: corev1.ProtocolTCP},
		}
		return controllerutil.SetControllerReference(app, s, c.client.Scheme())
	})
	if err != nil {
		return fmt.Errorf("create or update Service %s/%s: %w", app.Namespace, app.Name, err)
	}
	return nil
}

// containerOf returns the app's container among others', added if it is not
// there.
func containerOf(pod *corev1.PodSpec) *corev1.Container {
	for i := range pod.Containers {
		if pod.Containers[i].Name == containerName {
			return &pod.Containers[i]
		}
	}
	pod.Containers = append(pod.Containers, corev1.Container{Name: containerName})
	return &pod.Containers[len(pod.Containers)-1]
}

// with returns the labels with ours among them.
func with(labels, ours map[string]string) map[string]string {
	if labels == nil {
		return ours
	}
	for key, value := range ours {
		labels[key] = value
	}
	return labels
}
