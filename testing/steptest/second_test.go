package steptest

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// habit returns what sets up a reconciler that does the same in each pass. Nothing that
// it does wakes it again.
func habit(does func(context.Context, ctrl.Manager, *corev1.Service) error) func(ctrl.Manager) error {
	return func(mgr ctrl.Manager) error {
		return ctrl.NewControllerManagedBy(mgr).For(&corev1.Service{}).Complete(ctrlreconcile.Func(
			func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
				service := &corev1.Service{}
				if err := mgr.GetClient().Get(ctx, request.NamespacedName, service); err != nil {
					return ctrl.Result{}, client.IgnoreNotFound(err)
				}
				return ctrl.Result{}, does(ctx, mgr, service)
			}))
	}
}

// What a second pass does is seen, also if nothing but the test wakes it.
func TestASecondPassIsMade(t *testing.T) {
	kinds, err := served()
	if err != nil {
		t.Fatal(err)
	}
	passes := 0
	cases := map[string]struct {
		does func(context.Context, ctrl.Manager, *corev1.Service) error
		said Want   // of the first pass
		want string // how what is wrong begins, empty if nothing is
		tell string // a part of it
	}{
		"nothing": {does: func(context.Context, ctrl.Manager, *corev1.Service) error { return nil }},
		"a live read": {
			does: func(ctx context.Context, mgr ctrl.Manager, service *corev1.Service) error {
				return mgr.GetAPIReader().Get(ctx, client.ObjectKeyFromObject(service), service)
			},
			want: "a second pass sent", tell: "get services demo/web",
		},
		"a live list": {
			does: func(ctx context.Context, mgr ctrl.Manager, service *corev1.Service) error {
				return mgr.GetAPIReader().List(ctx, &corev1.ConfigMapList{}, client.InNamespace(service.Namespace))
			},
			want: "a second pass sent", tell: "list configmaps demo",
		},
		"a dry run": {
			does: func(ctx context.Context, mgr ctrl.Manager, service *corev1.Service) error {
				return mgr.GetClient().Update(ctx, service, client.DryRunAll)
			},
			want: "a second pass sent", tell: "update services demo/web (dry run)",
		},
		"an event": {
			does: func(_ context.Context, mgr ctrl.Manager, service *corev1.Service) error {
				mgr.GetEventRecorder("habit").Eventf(service, nil, corev1.EventTypeNormal, "Seen", "See", "seen")
				return nil
			},
			said: Want{Events: []string{"Normal Seen: seen"}},
			want: "a second pass told events", tell: "Normal Seen: seen",
		},
		"a child with a generated name that nobody watches": {
			does: func(ctx context.Context, mgr ctrl.Manager, service *corev1.Service) error {
				named := metav1.ObjectMeta{Namespace: service.Namespace, GenerateName: service.Name + "-"}
				return mgr.GetClient().Create(ctx, &corev1.ConfigMap{ObjectMeta: named})
			},
			said: Want{Writes: []string{"create configmaps demo"}},
			want: "a second pass sent", tell: "create configmaps demo",
		},
		"an error": {
			does: func(context.Context, ctrl.Manager, *corev1.Service) error {
				if passes++; passes%2 == 0 {
					return errors.New("seen before")
				}
				return nil
			},
			want: "a second pass failed", tell: "seen before",
		},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			passes = 0
			c := Case{Kinds: kinds, Setup: habit(test.does), Given: []client.Object{saying("hello")}, Want: test.said}
			wrong := c.check(t)
			switch {
			case test.want == "" && len(wrong) > 0:
				t.Errorf("%q is told, want nothing", wrong)
			case test.want != "" && (len(wrong) != 1 || !strings.HasPrefix(wrong[0], test.want) || !strings.Contains(wrong[0], test.tell)):
				t.Errorf("%q is told, want one that begins with %q and tells %q", wrong, test.want, test.tell)
			}
			c.Want.Restless = true
			if wrong := c.check(t); len(wrong) > 0 {
				t.Errorf("%q is told where a second pass may do as it likes", wrong)
			}
		})
	}
}
