package resources_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// When an object in the way goes, its event makes the child at once: the poll
// would take a minute.
func TestAnObjectInTheWayWakesTheOwnerWhenItGoes(t *testing.T) {
	for name, step := range map[string]reconcile.Step[*v1.MyApp]{
		"child": resources.Ensure(desiredConfigMap),
		"set": resources.EnsureSet(func(app *v1.MyApp) ([]*corev1.ConfigMap, error) {
			child, err := desiredConfigMap(app)
			return []*corev1.ConfigMap{child}, err
		}),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, step)
			theirs := b.configMap()
			b.create(theirs)
			b.caughtUp(theirs)
			passed := make(chan reconcile.State, 100)
			b.control(reconcile.NewPipeline("wake-"+name, step,
				status.Func(func(_ *v1.MyApp, run *reconcile.Run[*v1.MyApp]) { passed <- run.Reports()[0].State })))
			if got := <-passed; got != reconcile.StateStalled {
				t.Fatalf("the first pass found the step %s, want it stalled: somebody has to do something", got)
			}
			if err := b.User.Delete(t.Context(), theirs); err != nil {
				t.Fatal(err)
			}
			b.eventually("the child is made", func(ctx context.Context) bool {
				child := b.configMap()
				return b.User.Get(ctx, clientKey(child), child) == nil && metav1.IsControlledBy(child, b.app)
			})
		})
	}
}

// control runs a pipeline as a controller until the end of the test.
func (b *bench) control(pipeline *reconcile.Pipeline[*v1.MyApp]) {
	b.Helper()
	mgr := steptest.NewManager(b.T, cluster.Shared(b.T).Config(), scheme(b.T), b.namespace)
	if err := pipeline.SetupWithManager(mgr); err != nil {
		b.Fatal(err)
	}
	steptest.StartManager(b.T, mgr)
}
