package resources_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

func TestAnInvalidChildIsTerminalInTheServersWords(t *testing.T) {
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*appsv1.Deployment, error) {
		child, err := desiredDeployment(app)
		if app.Spec.Image == "img:1" {
			child.Spec.Template.Spec.Containers[0].Name = "Not A Label"
		}
		return child, err
	}))
	_, run, err := b.run()
	if !reconcile.IsTerminal(err) || !apierrors.IsInvalid(err) {
		t.Fatalf("err = %v, want the server's refusal, terminal", err)
	}
	if got := run.Reports()[0]; got.Reason != "Invalid" || !strings.Contains(got.Message, "spec.template.spec.containers[0].name") {
		t.Errorf("report = %+v, want the field in it", got)
	}
	b.wrote("one request, refused", "patch deployments web")
	if _, err := b.pass(); !reconcile.IsTerminal(err) || !apierrors.IsInvalid(err) {
		t.Errorf("err = %v, want the same again", err)
	}
	b.wrote("it is not sent again (C59)")

	b.app.Annotations = map[string]string{"example.com/try": "again"}
	if _, err := b.pass(); !apierrors.IsInvalid(err) {
		t.Errorf("err = %v, want the server asked again", err)
	}
	b.wrote("a person can ask for another try", "patch deployments web")

	b.app.Spec.Image = "img:2"
	b.app.Generation++
	b.want("when it is mended", reconcile.Wait("LatestGenerationNotObserved", "its controller has not seen its latest generation yet"))
	child := b.deployment()
	b.get(child)
	b.quiet(child)
}

func TestAForbiddenRequestIsRetried(t *testing.T) {
	step := resources.Ensure(desiredConfigMap)
	b := newBench(t, step)
	shared := cluster.Shared(t)
	nobody, err := shared.User("nobody")
	if err != nil {
		t.Fatal(err)
	}
	requests := &steptest.Requests{}
	b.Environment.Client = writingAs(t, b.Environment.Client, requests.Attach(nobody))
	_, run, err := b.run()
	if err == nil || reconcile.IsTerminal(err) || !apierrors.IsForbidden(err) {
		t.Fatalf("err = %v, want a refusal that is retried", err)
	}
	if got := run.Reports()[0]; got.Reason != "Forbidden" || !strings.Contains(got.Message, `"nobody"`) {
		t.Errorf("report = %+v, want to read who may not do what", got)
	}
}

func TestATerminatingNamespaceIsWaitedFor(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap))
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: b.namespace}}
	if err := b.User.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	b.eventually("the namespace is terminating", func(ctx testContext) bool {
		_ = b.User.Get(ctx, clientKey(namespace), namespace)
		return namespace.DeletionTimestamp != nil
	})
	result, err := b.pass()
	if err != nil || result.Outcome() != reconcile.Waiting || result.Reason() != "NamespaceTerminating" {
		t.Errorf("got %v, %v; want to wait: it is the owner going away (C63)", result, err)
	}
	if result.RequeueAfter() != 0 {
		t.Error("it polls, although the deletion of the owner wakes it")
	}
}
