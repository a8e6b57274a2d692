package resources_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

func TestMain(m *testing.M) {
	cluster.Main(m, cluster.Options{
		CRDPaths: []string{"../examples/myapp/config/crd/bases"},
		CRDs:     []*apiextensionsv1.CustomResourceDefinition{thingCRD("a", "b")},
	})
}

// bench runs one step by hand over one MyApp on the real API server.
type bench struct {
	*testing.T
	*steptest.Live
	step      reconcile.Step[*v1.MyApp]
	app       *v1.MyApp
	namespace string
	rights    *rights
}

func scheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}

func newBench(t *testing.T, step reconcile.Step[*v1.MyApp]) *bench {
	t.Helper()
	return newBenchIn(t, nil, step)
}

// newBenchIn makes a bench whose cache sees other namespaces too.
func newBenchIn(t *testing.T, others []string, step reconcile.Step[*v1.MyApp]) *bench {
	t.Helper()
	shared := cluster.Shared(t)
	b := &bench{T: t, step: step, namespace: shared.Namespace(t)}
	namespaces := append([]string{b.namespace}, others...)
	b.Live = steptest.StartLive(t, shared.Config(), scheme(t), namespaces, "test", step)
	b.hold()
	b.app = &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: b.namespace},
		Spec:       v1.MyAppSpec{Image: "img:1"},
	}
	b.create(b.app)
	return b
}

// pass runs the step once.
func (b *bench) pass() (reconcile.Result, error) {
	b.Helper()
	result, _, err := b.run()
	return result, err
}

func (b *bench) run() (reconcile.Result, *reconcile.Run[*v1.MyApp], error) {
	b.Helper()
	run, err := reconcile.NewRun(b.Environment, "test", b.app)
	if err != nil {
		b.Fatal(err)
	}
	needsPipeline := false
	b.step.Describe().Walk(func(about reconcile.Description) { needsPipeline = needsPipeline || len(about.Finalizers) > 0 })
	if needsPipeline { // Do refuses it, for want of the finalizer
		result, err := b.step.Reconcile(b.Context(), run)
		return result, run, err
	}
	result, err := run.Do(b.Context(), b.step)
	return result, run, err
}

// want runs the step once and checks what it returns.
func (b *bench) want(reason string, want reconcile.Result) {
	b.Helper()
	got, err := b.pass()
	if err != nil {
		b.Fatalf("%s: %v", reason, err)
	}
	if got != want {
		b.Fatalf("%s: got %v, want %v", reason, got, want)
	}
}

// quiet lets the cache catch up and checks that further passes send nothing.
func (b *bench) quiet(children ...client.Object) {
	b.Helper()
	for _, child := range children {
		b.caughtUp(child)
	}
	b.Requests.Reset()
	b.Events.Reset()
	for range 2 {
		if _, err := b.pass(); err != nil {
			b.Fatalf("quiet pass: %v", err)
		}
	}
	if diff := cmp.Diff([]steptest.Request(nil), b.Requests.All()); diff != "" {
		b.Errorf("a pass over a converged child sent (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string(nil), b.Events.All()); diff != "" {
		b.Errorf("a pass over a converged child told (-want +got):\n%s", diff)
	}
}

// caughtUp waits until the cache shows the object as the server has it.
func (b *bench) caughtUp(object client.Object) {
	b.Helper()
	b.CaughtUp(b.T, object)
}

func (b *bench) eventually(what string, met func(context.Context) bool) {
	b.Helper()
	err := wait.PollUntilContextTimeout(b.Context(), 10*time.Millisecond, 30*time.Second, true,
		func(ctx context.Context) (bool, error) { return met(ctx), nil })
	if err != nil {
		b.Fatalf("%s: %v", what, err)
	}
}

func (b *bench) create(object client.Object) {
	b.Helper()
	if err := b.User.Create(b.Context(), object); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) update(object client.Object) {
	b.Helper()
	if err := b.User.Update(b.Context(), object); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) get(object client.Object) {
	b.Helper()
	if err := b.User.Get(b.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) gone(object client.Object) {
	b.Helper()
	err := b.User.Get(b.Context(), client.ObjectKeyFromObject(object), object)
	if !apierrors.IsNotFound(err) {
		b.Fatalf("get %T %s: %v, want it gone", object, object.GetName(), err)
	}
}

// restart lets the cache catch up and forgets all that the process knew.
func (b *bench) restart() {
	b.Helper()
	for _, list := range []client.ObjectList{
		&corev1.ConfigMapList{}, &appsv1.DeploymentList{}, &corev1.ServiceList{}, &corev1.SecretList{},
		&appsv1.StatefulSetList{}, &networkingv1.NetworkPolicyList{}, &batchv1.JobList{}, &v1.MyAppList{},
	} {
		if err := b.User.List(b.Context(), list, client.InNamespace(b.namespace)); err != nil {
			b.Fatal(err)
		}
		err := meta.EachListItem(list, func(item runtime.Object) error {
			b.caughtUp(item.(client.Object))
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Environment.Memory = reconcile.NewMemory()
}

// writes returns what was written since the last call, in words.
func (b *bench) writes() []string {
	var words []string
	for _, request := range b.Requests.Writes() {
		words = append(words, request.Verb+" "+request.Resource+" "+request.Name)
	}
	b.Requests.Reset()
	return words
}

func (b *bench) wrote(reason string, want ...string) {
	b.Helper()
	if diff := cmp.Diff(want, b.writes()); diff != "" {
		b.Errorf("%s: writes (-want +got):\n%s", reason, diff)
	}
}

func (b *bench) configMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: b.namespace}}
}

func (b *bench) deployment() *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: b.namespace}}
}

// desiredConfigMap is the simplest child there is.
func desiredConfigMap(app *v1.MyApp) (*corev1.ConfigMap, error) {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name},
		Data:       map[string]string{"image": app.Spec.Image},
	}, nil
}

func desiredDeployment(app *v1.MyApp) (*appsv1.Deployment, error) {
	labels := map[string]string{"app": app.Name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name},
		Spec: appsv1.DeploymentSpec{
			Replicas: app.Spec.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: app.Spec.Image}}},
			},
		},
	}, nil
}

// writingAs returns a client that reads as before and writes with other
// credentials.
func writingAs(t testing.TB, reader client.Client, config *rest.Config) client.Client {
	t.Helper()
	writer, err := client.New(config, client.Options{Scheme: reader.Scheme(), Mapper: reader.RESTMapper()})
	if err != nil {
		t.Fatal(err)
	}
	return &split{Client: writer, reader: reader}
}

type split struct {
	client.Client
	reader client.Reader
}

func (s *split) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	return s.reader.Get(ctx, key, into, options...)
}

func (s *split) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	return s.reader.List(ctx, list, options...)
}

// background returns a context for what is done after the test.
func (b *bench) background() context.Context { return context.WithoutCancel(b.Context()) }

// kind returns the kind of the owner.
func (b *bench) kind() schema.GroupVersionKind { return v1.GroupVersion.WithKind("MyApp") }
