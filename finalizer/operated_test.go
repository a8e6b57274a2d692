package finalizer_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// operated is a MyApp of a namespace in which an operator and the controllers of
// Kubernetes run.
type operated struct {
	*testing.T
	client.Client
	requests *steptest.Requests
	app      *v1.MyApp
}

// operate starts an operator of these steps, and of conditions, and creates a
// MyApp once it runs.
func operate(t *testing.T, name string, steps ...reconcile.Step[*v1.MyApp]) *operated {
	t.Helper()
	shared := cluster.Shared(t)
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	o := &operated{T: t, requests: &steptest.Requests{}}
	o.app = &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: shared.Namespace(t)},
		Spec:       v1.MyAppSpec{Image: "img:1"},
	}
	var err error
	if o.Client, err = client.New(shared.Config(), client.Options{Scheme: scheme}); err != nil {
		t.Fatal(err)
	}
	mgr := steptest.NewManager(t, o.requests.Attach(shared.Config()), scheme, o.app.Namespace)
	steps = append(steps, status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions }))
	if err := reconcile.NewPipeline(name, steps...).SetupWithManager(mgr); err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)
	if err := o.Create(t.Context(), o.app); err != nil {
		t.Fatal(err)
	}
	return o
}

// read reads an object, and reports whether it is there.
func (o *operated) read(object client.Object) bool {
	o.Helper()
	err := o.Get(o.Context(), client.ObjectKeyFromObject(object), object)
	if err != nil && !apierrors.IsNotFound(err) {
		o.Fatal(err)
	}
	return err == nil
}

// remove deletes an object as somebody else does.
func (o *operated) remove(object client.Object, policy metav1.DeletionPropagation) {
	o.Helper()
	if err := o.Delete(o.Context(), object, client.PropagationPolicy(policy)); err != nil {
		o.Fatal(err)
	}
}

// change lets somebody else change an object, whoever comes in between.
func (o *operated) change(object client.Object, what func()) {
	o.Helper()
	o.eventually(fmt.Sprintf("%T is changed", object), func() bool {
		if !o.read(object) {
			o.Fatalf("%T %s is gone", object, object.GetName())
		}
		what()
		err := o.Update(o.Context(), object)
		if err != nil && !apierrors.IsConflict(err) {
			o.Fatal(err)
		}
		return err == nil
	})
}

func (o *operated) eventually(what string, met func() bool) {
	o.Helper()
	err := wait.PollUntilContextTimeout(o.Context(), 20*time.Millisecond, time.Minute, true,
		func(context.Context) (bool, error) { return met(), nil })
	if err != nil {
		o.Fatalf("%s: %v; the conditions are %+v", what, err, o.app.Status.Conditions)
	}
}

// gone waits until objects are gone.
func (o *operated) gone(objects ...client.Object) {
	o.Helper()
	for _, object := range objects {
		o.eventually(fmt.Sprintf("%T is gone", object), func() bool { return !o.read(object) })
	}
}

// says waits until the Ready condition has a reason and a message.
func (o *operated) says(reason, message string) {
	o.Helper()
	o.eventually(fmt.Sprintf("it says %s: %s", reason, message), func() bool {
		if !o.read(o.app) {
			o.Fatalf("it is gone, and should say %s", message)
		}
		ready := meta.FindStatusCondition(o.app.Status.Conditions, "Ready")
		return ready != nil && ready.Reason == reason && ready.Message == message
	})
}

// settled waits until the operator writes nothing more.
func (o *operated) settled() {
	o.Helper()
	ctx, cancel := context.WithTimeout(o.Context(), time.Minute)
	defer cancel()
	if _, err := o.requests.Quiet(ctx, steptest.Request.Write); err != nil {
		o.Fatal(err)
	}
}

// child returns an empty object with the name that the child has.
func child[C client.Object](o *operated, object C) C {
	object.SetNamespace(o.app.Namespace)
	object.SetName(o.app.Name)
	return object
}

// replicaSets returns what the Deployment owns.
func (o *operated) replicaSets() []appsv1.ReplicaSet {
	o.Helper()
	var sets appsv1.ReplicaSetList
	if err := o.List(o.Context(), &sets, client.InNamespace(o.app.Namespace)); err != nil {
		o.Fatal(err)
	}
	return sets.Items
}

func desiredConfigMap(app *v1.MyApp) (*corev1.ConfigMap, error) {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name}, Data: map[string]string{"image": app.Spec.Image},
	}, nil
}

func desiredDeployment(app *v1.MyApp) (*appsv1.Deployment, error) {
	labels := map[string]string{"app": app.Name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32), // nobody runs pods here
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: app.Spec.Image}}},
			},
		},
	}, nil
}

func isStatus(request steptest.Request) bool { return request.Resource == "myapps/status" }

func isNoDelete(request steptest.Request) bool { return request.Verb != "delete" }
