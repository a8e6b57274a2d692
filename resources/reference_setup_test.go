package resources_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

func TestReferenceTellsItsFaultsAtSetup(t *testing.T) {
	untyped := func(*v1.MyApp) *unstructured.Unstructured { return nil }
	pipeline := reconcile.NewPipeline("test",
		reconcile.Step[*v1.MyApp](resources.Reference[*v1.MyApp, *corev1.Secret](nil).Named("nil")),
		resources.Reference(untyped).Named("no-kind"),
		resources.Reference(secretOf).Named("kind").Kind(appsv1.SchemeGroupVersion.WithKind("Deployment")).Named("kind"),
		resources.Reference(func(*v1.MyApp) *appsv1.Deployment { return nil }).Named("keys").Keys("a"),
		resources.Reference(secretOf).Named("no-keys").Keys(),
		resources.Reference(secretOf).Named("test").ReadyWhen(nil),
		resources.Reference(secretOf).Named("broken-test").ReadyWhen(nil, errors.New("it does not compile")),
	)
	err := pipeline.Setup(reconcile.Environment{Client: fake.NewClientBuilder().WithScheme(scheme(t)).Build()})
	if err == nil {
		t.Fatal("everything was accepted")
	}
	for _, want := range []string{
		`step "nil": the function that names the object is nil`,
		`step "no-kind": accessed kind: Object 'Kind' is missing`,
		`step "kind": Kind: is for unstructured objects`,
		`step "keys": Keys: is for a Secret or a ConfigMap, not for a Deployment`,
		`step "no-keys": Keys: a key is empty`,
		`step "test": ReadyWhen: the function is nil`,
		`step "broken-test": ReadyWhen: it does not compile`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %s:\n%v", want, err)
		}
	}
}

// A panic within the cache would end the process.
func TestReferenceGuardsTheCache(t *testing.T) {
	step := resources.Reference(func(*v1.MyApp) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: *(*string)(nil)}}
	})
	about := step.Describe()
	if got := about.Indexes[0].Values(&v1.MyApp{}); got != nil {
		t.Errorf("a function that panics gave %v, want nothing", got)
	}
	if got := about.Indexes[0].Values(&corev1.Secret{}); got != nil {
		t.Errorf("an object of another kind gave %v, want nothing", got)
	}
	if len(about.Owns) != 0 || len(about.Finalizers) != 0 {
		t.Errorf("%+v: it owns nothing", about)
	}
}

func TestReferenceIsFoundByItsNames(t *testing.T) {
	step := resources.Reference(secretOf)
	for name, test := range map[string]struct {
		reason, secret string
		want           []string
	}{
		"none":              {"it refers to nothing", "", nil},
		"own namespace":     {"it may be without a namespace, too", "creds", []string{"/creds", "demo/creds"}},
		"another namespace": {"it says which", "infra/creds", []string{"/creds", "infra/creds"}},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", Annotations: map[string]string{"secret": test.secret}}}
			if diff := cmp.Diff(test.want, step.Describe().Indexes[0].Values(app)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}
