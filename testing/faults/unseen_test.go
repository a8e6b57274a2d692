package faults_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trueup-dev/trueup/testing/faults"
)

// listener is an operator that notes what the watch of Secrets is told, and passes.
type listener struct {
	mu   sync.Mutex
	told []string
}

func (l *listener) note(what ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, strings.Join(what, " "))
}

type line = workqueue.TypedRateLimitingInterface[ctrl.Request]

func (l *listener) setup(mgr ctrl.Manager) error {
	l.note("start")
	told := func(queue line, what string, object client.Object) {
		l.note(what, object.GetName(), object.GetLabels()["is"])
		queue.Add(ctrl.Request{NamespacedName: client.ObjectKey{Namespace: object.GetNamespace(), Name: "web"}})
	}
	watch := handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, queue line) { told(queue, "made", e.Object) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, queue line) { told(queue, "changed", e.ObjectNew) },
		DeleteFunc: func(_ context.Context, e event.DeleteEvent, queue line) { told(queue, "gone", e.Object) },
	}
	shadow := &shadow{mgr.GetClient()}
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Service{}).Watches(&corev1.Secret{}, watch).Complete(
		ctrlreconcile.Func(func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
			l.note("pass")
			return shadow.Reconcile(ctx, request)
		}))
}

func secret(name, label string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"is": label}}}
}

// What the watches hear of changes that come together is each of them, before one pass;
// what they hear of changes that they missed is how things are.
func TestCoalescedAndUnseen(t *testing.T) {
	service := &corev1.Service{ObjectMeta: named, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
	changes := []faults.Change{
		{Name: "make", Early: true, Do: func(ctx context.Context, user client.Client) error {
			for _, name := range []string{"a", "b", "c"} {
				if err := user.Create(ctx, secret(name, "new")); err != nil {
					return err
				}
			}
			return nil
		}},
		{Name: "change", Early: true, Do: func(ctx context.Context, user client.Client) error {
			if err := user.Update(ctx, secret("a", "old")); err != nil {
				return err
			}
			return user.Delete(ctx, secret("b", ""))
		}},
	}
	cases := map[string][]string{
		"undisturbed":             {"start", "pass", "made a new", "made b new", "made c new", "pass", "changed a old", "gone b new", "pass"},
		"1:coalesced:Secret.v1.":  {"start", "pass", "made a new", "made b new", "made c new", "changed a old", "gone b new", "pass"},
		"1:unseen:Secret.v1.":     {"start", "pass", "made a old", "made c new", "pass"},
		"1:behind:Secret.v1.:100": {"start", "pass", "made a new", "pass", "made b new", "pass", "made c new", "pass", "changed a old", "pass", "gone b new", "pass"},
	}
	for schedule, want := range cases {
		t.Run(schedule, func(t *testing.T) {
			given(t, "faults.schedule", schedule)
			var latest *listener
			faults.Sweep{Kinds: kinds(t), Given: []client.Object{service}, Changes: changes, New: func() faults.Subject {
				latest = &listener{}
				return faults.Subject{Setup: latest.setup}
			}}.Check(t)
			told := latest.told
			if end := slices.Index(told[1:], "start"); end >= 0 {
				told = told[:end+1]
			}
			if diff := cmp.Diff(want, told); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
