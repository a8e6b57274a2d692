package operator

import (
	"context"
	"maps"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// MigrationName is a function of the app's name and its image.
func MigrationName(app, image string) string { return app + "-migrate-" + Hash(image) }

// found is the Job of the wanted image as it is.
var found = reconcile.NewValue[*batchv1.Job]()

// findMigration looks for it.
func findMigration() step {
	return reconcile.Func("find-migration", func(ctx context.Context, run run) (reconcile.Result, error) {
		app, job := run.Object(), &batchv1.Job{}
		key := client.ObjectKey{Namespace: app.Namespace, Name: MigrationName(app.Name, app.Spec.Image)}
		err := run.Client().Get(ctx, key, job)
		if err == nil {
			found.Set(run, job)
		}
		return reconcile.Continue, client.IgnoreNotFound(err)
	}).Needs(reconcile.Access{Object: &batchv1.Job{}, Verbs: []string{"get", "list", "watch"}})
}

// migration runs one Job for each image. The Job of an image that is not wanted any
// more goes when that of the wanted one is complete.
func migration(o *Options) step {
	return resources.EnsureFrom(o.desiredJob).Named("Migration").
		When(func(app *v1.MyApp) bool { return app.Spec.Migrate })
}

func (o *Options) desiredJob(app *v1.MyApp, run run) (*batchv1.Job, error) {
	container := corev1.Container{Name: "migrate", Image: app.Spec.Image}
	for _, name := range slices.Sorted(maps.Keys(o.JobEnv)) {
		container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: o.JobEnv[name]})
	}
	if job, ok := found.Get(run); ok { // one that has begun is not changed any more
		container.Env = job.Spec.Template.Spec.Containers[0].Env
	}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: MigrationName(app.Name, app.Spec.Image), Labels: labels(app)},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{container},
		}}},
	}, nil
}
