package fieldcases_test

import (
	"encoding/json"
	"maps"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/naive"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/operator"
	"github.com/trueup-dev/trueup/testing/fieldcases/internal/world"
)

// C73: a template that is shared carries what the server put there into the next
// create.
// https://github.com/redhat-cop/namespace-configuration-operator/issues/41
//
// The function here returns the same pointer in each pass over an app, and all that
// it points to is the template's, which is the worst that an author may do and is said
// to be allowed.
func c73() fieldCase {
	template := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "shared"}},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "shared"}},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "img:1"}}},
		},
	}}
	before := template.DeepCopy()
	shared := &sharing{template: template, made: map[string]*appsv1.Deployment{}}
	return fieldCase{
		id: "C73",
		trueup: func(*world.Process) pipeline {
			return reconcile.NewPipeline(operator.Name, resources.Ensure(shared.desired), operator.Summary())
		},
		naive: func(*world.Process) *naive.Reconciler {
			return &naive.Reconciler{Faults: naive.Faults{Shares: true}}
		},
		shows: "step 2: a create has resourceVersion",
		run: func(w *world.World) {
			a, b := w.App("a"), w.App("b")
			created := func(step string) int {
				creates := 0
				for _, request := range w.Requests.All(world.WritesTo("deployments")) {
					body := &appsv1.Deployment{}
					w.Must(json.Unmarshal([]byte(request.Body), body))
					// "1" is how the library says that there must be no such object yet.
					if version := body.ResourceVersion; version != "" && (w.Naive || version != "1") && request.Verb == "create" {
						w.Fault("%s: a create has resourceVersion %s", step, version)
					}
					if request.Verb == "create" || request.Apply && body.UID == "" {
						creates++
						w.Expect(body.UID == "" && body.CreationTimestamp.IsZero() && body.ManagedFields == nil && cmp.Equal(body.Status, appsv1.DeploymentStatus{}),
							"%s: a create has what the server puts there: %s", step, request.Body)
						w.Expect(w.Naive || body.ResourceVersion == "1", "%s: a create has resourceVersion %s", step, body.ResourceVersion)
					}
				}
				return creates
			}
			w.Converge()
			w.Same("step 1: creates", 2, created("step 1"))
			version := func(name string) string {
				if now := world.Find[appsv1.Deployment](w, name); now != nil {
					return now.ResourceVersion
				}
				return "" // as the handwritten one has it: the first create has filled in the template
			}
			theirs := version("b")
			w.Mark()

			w.Delete(&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
			w.Converge()
			w.Same("step 2: creates", 1, created("step 2"))
			w.Expect(len(a.Errors())+len(b.Errors()) == 0, "step 2: passes failed: %v, %v", a.Errors(), b.Errors())
			w.Same("step 2: b", theirs, version("b"))
			w.Mark()

			mine := world.Get[appsv1.Deployment](w, "a")
			b.Change(func(app *v1.MyApp) { app.Spec.PodLabels = map[string]string{"tier": "front"} })
			w.Converge()
			w.Same("step 3: creates", 0, created("step 3"))
			w.Same("step 3: a", mine, world.Get[appsv1.Deployment](w, "a"))
			w.Same("step 3: b's pod label", "front", world.Get[appsv1.Deployment](w, "b").Spec.Template.Labels["tier"])
			w.Quiet("step 3", 3)
			w.Same("the template", before, template)
			for name, made := range shared.made {
				want := before.DeepCopy()
				want.Name = name
				if name == "b, front" {
					want.Name, want.Spec.Template.Labels["tier"] = "b", "front"
				}
				w.Same("what was made for "+name, want, made)
			}
			w.Same("what was made", w.Naive, len(shared.made) == 0)
		},
	}
}

// sharing makes Deployments of a template, one for an app and its label of the pods,
// and returns the same one each time.
type sharing struct {
	template *appsv1.Deployment
	made     map[string]*appsv1.Deployment
}

func (s *sharing) desired(app *v1.MyApp) (*appsv1.Deployment, error) {
	key := app.Name
	if tier := app.Spec.PodLabels["tier"]; tier != "" {
		key += ", " + tier
	}
	if s.made[key] == nil {
		made := *s.template // and all that it points to
		made.Name = app.Name
		if len(app.Spec.PodLabels) > 0 {
			made.Spec.Template.Labels = maps.Clone(app.Spec.PodLabels)
			made.Spec.Template.Labels["app"] = "shared"
		}
		s.made[key] = &made
	}
	return s.made[key], nil
}
