package operator_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trueup-dev/trueup/testing/steptest"
	"github.com/trueup-dev/trueup/testing/steptest/memory"
	"github.com/trueup-dev/trueup/testing/steptest/operator"
)

// began starts an operator over one ConfigMap, with what plain reconcilers have today.
func began(t *testing.T, recorder events.EventRecorder, setup func(ctrl.Manager) error) (*operator.Operator, error) {
	t.Helper()
	kinds, err := memory.NewKinds(clientgoscheme.Scheme)
	if err != nil {
		t.Fatal(err)
	}
	server := kinds.NewServer()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo"}}
	if err := server.As("user").Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	started, err := operator.Start(t.Context(), operator.Options{
		Setup: setup, Source: server, Config: server.Config(), Kinds: kinds, Recorder: recorder,
	})
	if err == nil {
		t.Cleanup(started.Stop)
	}
	return started, err
}

// defaulter is a webhook.
type defaulter struct{}

func (defaulter) Default(context.Context, *corev1.ConfigMap) error { return nil }

// One function may add the webhooks too: they are taken, and not called.
func TestWebhooksAreTaken(t *testing.T) {
	passes := 0
	started, err := began(t, nil, func(mgr ctrl.Manager) error {
		if err := ctrl.NewWebhookManagedBy(mgr, &corev1.ConfigMap{}).WithDefaulter(defaulter{}).Complete(); err != nil {
			return err
		}
		if err := mgr.Add(mgr.GetWebhookServer()); err != nil {
			return err
		}
		return ctrl.NewControllerManagedBy(mgr).For(&corev1.ConfigMap{}).Complete(ctrlreconcile.Func(
			func(context.Context, ctrl.Request) (ctrl.Result, error) {
				passes++
				return ctrl.Result{}, nil
			}))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := started.Pass(); !ok || passes != 1 {
		t.Errorf("a pass: %t, %d of them; want one", ok, passes)
	}
}

// What the older recorder is told is told where the newer one's is.
func TestTheOlderRecorder(t *testing.T) {
	told := &steptest.Events{}
	started, err := began(t, told, func(mgr ctrl.Manager) error {
		recorder := mgr.GetEventRecorderFor("plain") //nolint:staticcheck // the one that is tested
		return ctrl.NewControllerManagedBy(mgr).For(&corev1.ConfigMap{}).Complete(ctrlreconcile.Func(
			func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
				object := &corev1.ConfigMap{}
				if err := mgr.GetClient().Get(ctx, request.NamespacedName, object); err != nil {
					return ctrl.Result{}, err
				}
				recorder.Event(object, corev1.EventTypeNormal, "Seen", "100% seen")
				recorder.Eventf(object, corev1.EventTypeWarning, "Odd", "odd: %s", object.Name)
				recorder.AnnotatedEventf(object, map[string]string{"a": "b"}, corev1.EventTypeNormal, "Noted", "%d notes", 1)
				return ctrl.Result{}, nil
			}))
	})
	if err != nil {
		t.Fatal(err)
	}
	started.Pass()
	want := []string{"Normal Seen: 100% seen", "Warning Odd: odd: web", "Normal Noted: 1 notes"}
	if got := told.All(); !slices.Equal(got, want) {
		t.Errorf("%q is told, want %q", got, want)
	}
}

// part is a request of a controller that has requests of its own.
type part struct{ of client.ObjectKey }

// A controller whose requests are of another type is refused, by what it has and what
// can be run.
func TestOtherRequestsAreRefused(t *testing.T) {
	_, err := began(t, nil, func(mgr ctrl.Manager) error {
		parts := handler.TypedEnqueueRequestsFromMapFunc(func(_ context.Context, object client.Object) []part {
			return []part{{client.ObjectKeyFromObject(object)}}
		})
		return builder.TypedControllerManagedBy[part](mgr).Named("parts").Watches(&corev1.ConfigMap{}, parts).Complete(
			ctrlreconcile.TypedFunc[part](func(context.Context, part) (ctrl.Result, error) { return ctrl.Result{}, nil }))
	})
	for _, want := range []string{"operator_test.part", "only those of reconcile.Request can be run"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want one that says %q", err, want)
		}
	}
}
