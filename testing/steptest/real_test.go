package steptest

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/cluster"
)

// What is only read from the cache is not shown on a real API server, and that is told.
func TestWhatIsReadMustBeWatched(t *testing.T) {
	kinds, err := served()
	if err != nil {
		t.Fatal(err)
	}
	c := Case{
		Kinds: kinds, Given: []client.Object{saying("hello")},
		Setup: habit(func(ctx context.Context, mgr ctrl.Manager, service *corev1.Service) error {
			return mgr.GetClient().List(ctx, &corev1.SecretList{}, client.InNamespace(service.Namespace))
		}),
	}
	if wrong := c.check(t); len(wrong) > 0 {
		t.Errorf("in memory %q is told", wrong)
	}
	shared := cluster.Shared(t)
	if wrong := c.checkOn(t, shared.Config(), shared.Namespace(t)); len(wrong) != 1 || !strings.HasPrefix(wrong[0], "a Secret is read from the cache") {
		t.Errorf("%q is told, want that a Secret is read", wrong)
	}
}
