package faults_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trueup-dev/trueup/testing/faults"
)

// chain is an operator that makes the ConfigMaps a and b in its first pass, c when its
// cache shows both, and d when it shows c. It notes what the cache shows in the first
// pass of each process.
type chain struct {
	mu     sync.Mutex
	starts []string
}

func (c *chain) setup(mgr ctrl.Manager) error {
	own := mgr.GetClient()
	first := true
	return ctrl.NewControllerManagedBy(mgr).For(&corev1.Service{}).Owns(&corev1.ConfigMap{}).Complete(
		ctrlreconcile.Func(func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
			service, there := &corev1.Service{}, &corev1.ConfigMapList{}
			if err := own.Get(ctx, request.NamespacedName, service); err != nil {
				return ctrl.Result{}, client.IgnoreNotFound(err)
			}
			if err := own.List(ctx, there); err != nil {
				return ctrl.Result{}, err
			}
			shown := ""
			for _, child := range there.Items {
				shown += child.Name
			}
			if first {
				c.mu.Lock()
				c.starts = append(c.starts, shown)
				c.mu.Unlock()
			}
			first = false
			return ctrl.Result{}, c.make(ctx, own, service, missing(shown))
		}))
}

func (*chain) make(ctx context.Context, own client.Client, service *corev1.Service, names []string) error {
	for _, name := range names {
		child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: service.Namespace, Name: name}}
		if err := ctrl.SetControllerReference(service, child, own.Scheme()); err != nil {
			return err
		}
		if err := client.IgnoreAlreadyExists(own.Create(ctx, child)); err != nil {
			return err
		}
	}
	return nil
}

// missing returns what has to be made next.
func missing(shown string) []string {
	for _, next := range []string{"ab", "c", "d"} {
		if !strings.Contains(shown, next) {
			return strings.Split(next, "")
		}
	}
	return nil
}

// The cache of a new process shows what the fault says: all that there is, or what there
// was when the pass before the one that was interrupted began, which for the first pass
// is when the operator was started.
func TestWhatTheCacheOfANewProcessShows(t *testing.T) {
	service := &corev1.Service{ObjectMeta: named, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}
	cases := map[string]string{ // what the second process sees at first
		"1:crash-before": "", "1:crash-before-stale": "",
		"1:crash-after": "a", "1:crash-after-stale": "",
		"2:crash-before": "a", "2:crash-before-stale": "",
		"2:crash-after": "ab", "2:crash-after-stale": "",
		"3:crash-before": "ab", "3:crash-before-stale": "",
		"3:crash-after": "abc", "3:crash-after-stale": "",
		"4:crash-before": "abc", "4:crash-before-stale": "ab",
		"4:crash-after": "abcd", "4:crash-after-stale": "ab",
	}
	for schedule, want := range cases {
		t.Run(schedule, func(t *testing.T) {
			given(t, "faults.schedule", schedule)
			var latest *chain
			faults.Sweep{Kinds: kinds(t), Given: []client.Object{service}, New: func() faults.Subject {
				latest = &chain{}
				return faults.Subject{Setup: latest.setup}
			}}.Check(t)
			if diff := cmp.Diff([]string{"", want, "abcd"}, latest.starts); diff != "" {
				t.Errorf("at the start, after the crash and at the end (-want +got):\n%s", diff)
			}
		})
	}
}
