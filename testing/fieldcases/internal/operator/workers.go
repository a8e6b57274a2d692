package operator

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// workers keeps what each worker has. What is left of a worker goes when those that
// are wanted are available: first its Deployment, then the Service, so that at each
// moment there are a Service and pods that it selects.
func workers(o *Options) step {
	before := []step{leaving(o)}
	if o.Claims {
		before = append(before, resources.EnsureSet(each(workerClaim)).Named("WorkerClaims").ReadyWhen(exists[*corev1.PersistentVolumeClaim]))
	}
	return reconcile.Sequence(append(before,
		resources.EnsureSet(workerServices).Named("WorkerServices"),
		resources.EnsureSet(each(workerDeployment)).Named("Workers"),
	)...)
}

// each makes something for each worker.
func each[C any](one func(app *v1.MyApp, worker string) C) func(*v1.MyApp) ([]C, error) {
	return func(app *v1.MyApp) ([]C, error) {
		all := make([]C, 0, len(app.Spec.Workers))
		for _, worker := range app.Spec.Workers {
			all = append(all, one(app, worker))
		}
		return all, nil
	}
}

// workerServices are those of the workers that are wanted, and of those that have a
// Deployment still.
func workerServices(app *v1.MyApp) ([]*corev1.Service, error) {
	all, err := each(workerService)(app)
	for _, leaves := range app.Status.Draining {
		all = append(all, workerService(app, leaves.Name))
	}
	return all, err
}

// exists is good enough for a claim that waits for its first pod.
func exists[C any](C) resources.Readiness { return resources.Readiness{Ready: true} }

func workerLabels(app *v1.MyApp, worker string) map[string]string {
	return map[string]string{"app": app.Name, "worker": worker}
}

func workerClaim(app *v1.MyApp, worker string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data-" + worker, Labels: labels(app)},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			},
		},
	}
}

func workerDeployment(app *v1.MyApp, worker string) *appsv1.Deployment {
	podLabels := workerLabels(app, worker)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name + "-" + worker, Labels: labels(app)},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](1),
			Selector: &metav1.LabelSelector{MatchLabels: podLabels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: podLabels},
				Spec: corev1.PodSpec{
					Containers: []corev1.Container{{
						Name: "worker", Image: app.Spec.Image,
						VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
					}},
					Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
						PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-" + worker},
					}}},
				},
			},
		},
	}
}

func workerService(app *v1.MyApp, worker string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name + "-" + worker, Labels: labels(app)},
		Spec: corev1.ServiceSpec{
			Selector: workerLabels(app, worker),
			Ports:    []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromInt32(8080)}},
		},
	}
}
