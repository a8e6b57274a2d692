package resources_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// ensureNamed returns a function that makes a child whose name or label has a
// length, and a step that keeps it.
func ensureNamed[C client.Object](build func(text string) C) func(length int) (client.Object, reconcile.Step[*v1.MyApp]) {
	return func(length int) (client.Object, reconcile.Step[*v1.MyApp]) {
		text := strings.Repeat("x", length)
		return build(text), resources.Ensure(func(*v1.MyApp) (C, error) { return build(text), nil }).
			ReadyWhen(func(C) resources.Readiness { return resources.Readiness{Ready: true} })
	}
}

// What is too long is refused before the wire, by the name of the field; what is
// as long as can be is accepted by the server.
func TestANameThatIsTooLongIsRefusedBeforeTheWire(t *testing.T) {
	for name, test := range map[string]struct {
		reason string
		step   func(length int) (client.Object, reconcile.Step[*v1.MyApp])
		most   int
		field  string
	}{
		"a name": {
			step: ensureNamed(func(text string) *corev1.ConfigMap {
				return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: text}}
			}),
			most: 253, field: "metadata.name",
		},
		"a Service's name": {
			reason: "it is a name in the DNS",
			step: ensureNamed(func(text string) *corev1.Service {
				return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: text}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
			}),
			most: 63, field: "metadata.name",
		},
		"a Job's name": {
			reason: "it is a label of its pods",
			step: ensureNamed(func(text string) *batchv1.Job {
				return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: text}, Spec: jobSpec()}
			}),
			most: 63, field: "metadata.name",
		},
		"a CronJob's name": {
			reason: "it is part of the names of its Jobs",
			step: ensureNamed(func(text string) *batchv1.CronJob {
				return &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: text}, Spec: batchv1.CronJobSpec{
					Schedule: "@hourly", JobTemplate: batchv1.JobTemplateSpec{Spec: jobSpec()},
				}}
			}),
			most: 52, field: "metadata.name",
		},
		"a label": {
			step: ensureNamed(func(text string) *corev1.ConfigMap {
				return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{"app": text}}}
			}),
			most: 63, field: "metadata.labels[app]",
		},
		"a label of the pods": {
			step: ensureNamed(func(text string) *appsv1.Deployment { return deploymentLabelled("web", text) }),
			most: 63, field: "spec.template.metadata.labels[app]",
		},
		"a selector": {
			step: ensureNamed(func(text string) *appsv1.Deployment {
				child := deploymentLabelled(text, text)
				child.Name = "web"
				if len(text) > 63 {
					child.Spec.Template.Labels = nil
				}
				return child
			}),
			most: 63, field: "spec.selector.matchLabels[app]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			child, step := test.step(test.most + 1)
			b := newBench(t, step)
			child.SetNamespace(b.namespace)
			if err := b.User.Create(t.Context(), child, client.DryRunAll); !apierrors.IsInvalid(err) {
				t.Errorf("the server says %v, want that it would refuse it", err)
			}
			_, run, err := b.run()
			if want := "build: " + test.field + " has "; !reconcile.IsTerminal(err) || !strings.Contains(err.Error(), want) {
				t.Errorf("err = %v, want a terminal one that says %q (%s)", err, want, test.reason)
			}
			if got := run.Reports()[0].Reason; got != "Invalid" {
				t.Errorf("reason = %s, want it Invalid", got)
			}
			b.wrote("nothing is sent")
			_, step = test.step(test.most)
			b = newBench(t, step)
			b.want("one that is as long as can be", reconcile.Continue)
		})
	}
}

func jobSpec() batchv1.JobSpec {
	return batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "app", Image: "img:1"}},
	}}}
}

func deploymentLabelled(selected, label string) *appsv1.Deployment {
	if len(label) <= 63 {
		selected = label
	}
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": selected}},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": label}},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "img:1"}}},
		},
	}}
}
