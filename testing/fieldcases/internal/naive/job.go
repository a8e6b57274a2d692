package naive

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// job runs a migration for each image, under a name that the server makes up.
func (r *Reconciler) job(ctx context.Context, app *v1.MyApp) error {
	if !app.Spec.Migrate {
		return nil
	}
	container := corev1.Container{Name: "migrate", Image: app.Spec.Image}
	for _, name := range slices.Sorted(maps.Keys(r.JobEnv)) {
		container.Env = append(container.Env, corev1.EnvVar{Name: name, Value: r.JobEnv[name]})
	}
	desired := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{GenerateName: app.Name + "-migrate-", Labels: map[string]string{"image": strings.ReplaceAll(app.Spec.Image, ":", "-")}},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{container},
		}}},
	}
	owned(app, &desired.ObjectMeta)
	jobs := &batchv1.JobList{}
	if err := r.Client.List(ctx, jobs, client.InNamespace(app.Namespace), client.MatchingLabels(desired.Labels)); err != nil {
		return err
	}
	if len(jobs.Items) == 0 {
		return r.Client.Create(ctx, desired)
	}
	existing := &jobs.Items[0]
	if !reflect.DeepEqual(existing.Spec.Template.Spec.Containers[0].Env, container.Env) {
		existing.Spec.Template.Spec.Containers[0].Env = container.Env
		return r.Client.Update(ctx, existing)
	}
	return nil
}
