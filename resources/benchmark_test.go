package resources_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// still reads from objects in memory, as a cache does without deep copies.
type still struct {
	client.Client
	objects []client.Object
}

func (s *still) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	for _, object := range s.objects {
		if reflect.TypeOf(object) == reflect.TypeOf(into) && client.ObjectKeyFromObject(object) == key {
			reflect.ValueOf(into).Elem().Set(reflect.ValueOf(object).Elem())
			return nil
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
}

// converged is a MyApp whose children are as the real API server made them, and
// where nothing happens any more.
type converged struct {
	pipeline   *reconcile.Pipeline[*v1.MyApp]
	deployment reconcile.Step[*v1.MyApp]
	service    reconcile.Step[*v1.MyApp]
	request    ctrl.Request
	app        *v1.MyApp
	requests   *steptest.Requests
	run        *reconcile.Run[*v1.MyApp] // for a step by itself
	objects    []client.Object           // the MyApp and its children
	client     client.Client             // of the real API server
}

func converge(b testing.TB) *converged {
	b.Helper()
	shared := cluster.Shared(b)
	namespace := shared.Namespace(b)
	c := &converged{}
	steps := c.steps()
	live := steptest.StartLive(b, shared.Config(), scheme(b), []string{namespace}, "bench", steps...)
	c.requests = live.Requests
	c.pipeline = reconcile.NewPipeline("bench", steps...)
	if err := c.pipeline.Setup(live.Environment); err != nil {
		b.Fatal(err)
	}
	c.app = &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	c.request.NamespacedName = client.ObjectKeyFromObject(c.app)
	if err := live.User.Create(b.Context(), c.app); err != nil {
		b.Fatal(err)
	}
	meta := metav1.ObjectMeta{Name: "web", Namespace: namespace}
	deployment := &appsv1.Deployment{ObjectMeta: meta}
	objects := []client.Object{c.app, deployment, &corev1.Service{ObjectMeta: meta}}
	for range 2 {
		for _, object := range objects {
			live.CaughtUp(b, object)
		}
		if _, err := c.pipeline.Reconcile(b.Context(), c.request); err != nil {
			b.Fatal(err)
		}
		rollOut(b, live.User, deployment)
	}
	for _, object := range objects {
		if err := live.User.Get(b.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			b.Fatal(err)
		}
	}
	b.Cleanup(func() {
		app := c.app.DeepCopy()
		app.Finalizers = nil
		if err := live.User.Update(context.Background(), app); err != nil {
			b.Error(err)
		}
	})
	c.objects, c.client = objects, live.Environment.Client
	// Where nothing happens the steps recognise the children.
	environment := reconcile.Environment{
		Client: &still{Client: live.Environment.Client, objects: objects}, Memory: reconcile.NewMemory(),
	}
	c.pipeline = reconcile.NewPipeline("bench", c.steps()...)
	if err := c.pipeline.Setup(environment); err != nil {
		b.Fatal(err)
	}
	run, err := reconcile.NewRun(environment, "bench", c.app)
	if err != nil {
		b.Fatal(err)
	}
	c.run = run
	c.requests.Reset()
	return c
}

// steps are those of examples/myapp.
func (c *converged) steps() []reconcile.Step[*v1.MyApp] {
	deployment, service := resources.Ensure(desiredWorkload), resources.Ensure(desiredService)
	c.deployment, c.service = deployment, service
	return []reconcile.Step[*v1.MyApp]{
		finalizer.Func("apps.example.com/dns", func(context.Context, *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
			return reconcile.Continue, nil
		}),
		reconcile.All(c.deployment, c.service),
		status.Func(func(app *v1.MyApp, run *reconcile.Run[*v1.MyApp]) {
			if d, ok := deployment.Peek(run); ok {
				app.Status.Replicas = d.Status.Replicas
				app.Status.ReadyReplicas = d.Status.ReadyReplicas
				app.Status.Selector = labels.FormatLabels(d.Spec.Selector.MatchLabels)
			}
		}),
		status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions }),
	}
}

// rollOut does what the Deployment controller does in the end.
func rollOut(b testing.TB, user client.Client, deployment *appsv1.Deployment) {
	b.Helper()
	status := `{"status": {"observedGeneration": 1, "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1,
		"conditions": [{"type": "Available", "status": "True"},
			{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}]}}`
	if err := user.Status().Patch(b.Context(), deployment, client.RawPatch(types.MergePatchType, []byte(status))); err != nil {
		b.Fatal(err)
	}
}

func desiredWorkload(app *v1.MyApp) (*appsv1.Deployment, error) {
	d, err := desiredDeployment(app)
	d.Labels = map[string]string{"app.kubernetes.io/name": "myapp", "app.kubernetes.io/instance": app.Name}
	container := &d.Spec.Template.Spec.Containers[0]
	container.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: app.Spec.Port}}
	container.SecurityContext = &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		RunAsNonRoot:             new(true),
	}
	return d, err
}

func desiredService(app *v1.MyApp) (*corev1.Service, error) {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name},
		Spec: corev1.ServiceSpec{
			Selector: map[string]string{"app": app.Name},
			Ports:    []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("http")}},
		},
	}, nil
}

// BenchmarkNoop measures a pass over a converged MyApp and what it is made of.
func BenchmarkNoop(b *testing.B) {
	c := converge(b)
	desired, err := desiredWorkload(c.app)
	if err != nil {
		b.Fatal(err)
	}
	step := func(step reconcile.Step[*v1.MyApp]) func() error {
		return func() error {
			result, err := step.Reconcile(b.Context(), c.run)
			if err == nil && result != reconcile.Continue {
				err = errors.New(result.String())
			}
			return err
		}
	}
	for _, part := range []struct {
		name string
		do   func() error
	}{
		{"Pipeline", func() error { _, err := c.pipeline.Reconcile(b.Context(), c.request); return err }},
		{"EnsureDeployment", step(c.deployment)},
		{"EnsureService", step(c.service)},
		{"Peek", func() error { return c.run.Peek(b.Context(), c.request.NamespacedName, &appsv1.Deployment{}) }},
		{"Build", func() error { _, err := desiredWorkload(c.app); return err }},
		{"HashProtobuf", func() error { raw, err := desired.Marshal(); sha256.Sum256(raw); return err }},
		{"HashJSON", func() error { raw, err := json.Marshal(desired); sha256.Sum256(raw); return err }},
	} {
		b.Run(part.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := part.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	if sent := c.requests.All(); len(sent) > 0 {
		b.Errorf("sent %v", sent)
	}
}
