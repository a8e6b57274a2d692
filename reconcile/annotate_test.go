package reconcile_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// Steps that run at the same time may each annotate the object: one waits for the other,
// in a way that a test whose requests take turns can see, and neither's is lost.
func TestStepsAnnotateAtTheSameTime(t *testing.T) {
	annotating := func(name string) reconcile.Step[app] {
		return reconcile.Func(name, func(ctx context.Context, run appRun) (reconcile.Result, error) {
			return reconcile.Continue, run.Annotate(ctx, map[string]string{"example.com/" + name: "yes"})
		})
	}
	web := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: v1.MyAppSpec{Image: "img:1"}}
	annotated := web.DeepCopy()
	annotated.Annotations = map[string]string{"example.com/a": "yes", "example.com/b": "yes", "example.com/c": "yes"}
	steptest.Case{
		Reason: "three annotations of three steps",
		Kinds:  myAppKinds(t),
		Setup: func(mgr ctrl.Manager) error {
			return reconcile.NewPipeline("test", reconcile.Parallel(annotating("a"), annotating("b"), annotating("c"))).SetupWithManager(mgr)
		},
		Given: []client.Object{web},
		Want: steptest.Want{
			Writes:  []string{"patch myapps demo/web", "patch myapps demo/web", "patch myapps demo/web"},
			Objects: []client.Object{annotated},
		},
	}.Run(t)
}
