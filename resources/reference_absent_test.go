package resources_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

func TestReferenceToWhatHasFailed(t *testing.T) {
	b := newBench(t, resources.Reference(secretOf).ReadyWhen(func(secret *corev1.Secret) resources.Readiness {
		return resources.Readiness{Failed: true, Reason: "Rotten", Message: secret.Kind + " is rotten"}
	}))
	b.refersTo("creds")
	secret := b.secret("creds")
	b.create(secret)
	b.caughtUp(secret)
	b.want("it will not get better by itself", reconcile.Wait("Rotten", "Secret "+b.namespace+"/creds: Secret is rotten").Stalled())
}

func TestReferenceToAKindThatIsNotInstalled(t *testing.T) {
	for name, test := range map[string]struct {
		reason   string
		optional bool
		want     reconcile.Outcome
	}{
		"required": {"it may come", false, reconcile.Waiting},
		"optional": {"it need not come", true, reconcile.Continued},
	} {
		t.Run(name, func(t *testing.T) {
			step := resources.Reference(func(app *v1.MyApp) *unstructured.Unstructured {
				object := &unstructured.Unstructured{}
				object.SetName(app.Name)
				return object
			}).Kind(schema.GroupVersionKind{Group: "never.example.com", Version: "v1", Kind: "Thing"})
			if test.optional {
				step = step.Optional()
			}
			b := newBench(t, step)
			result, err := b.pass()
			if err != nil || result.Outcome() != test.want {
				t.Errorf("%s: got %v, %v", test.reason, result, err)
			}
		})
	}
}

func TestReferenceWithoutANamespace(t *testing.T) {
	step := resources.Reference(func(owner *corev1.Namespace) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: owner.Name}}
	})
	b := newBench(t, resources.Reference(secretOf))
	owner := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: b.namespace}}
	b.get(owner)
	run, err := reconcile.NewRun(b.Environment, "test", owner)
	if err != nil {
		t.Fatal(err)
	}
	_, err = run.Do(t.Context(), step)
	if !reconcile.IsTerminal(err) || !strings.Contains(err.Error(), "needs a namespace") {
		t.Errorf("err = %v, want a terminal one that says what is missing", err)
	}
}
