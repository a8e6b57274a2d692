package resources_test

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// Every handle that is read before its step has run makes the reading step fail,
// with the names of both.
func TestAHandleThatIsReadTooEarlySaysSo(t *testing.T) {
	child := resources.Ensure(desiredConfigMap).Named("theirs")
	set := resources.EnsureSet(desiredWorkers).Named("theirs")
	referent := resources.Reference(func(app *v1.MyApp) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: app.Name}}
	}).Named("theirs")
	for name, test := range map[string]struct {
		step reconcile.Step[*v1.MyApp]
		read func(*reconcile.Run[*v1.MyApp])
	}{
		"a child":     {child, func(run *reconcile.Run[*v1.MyApp]) { child.Observed(run) }},
		"a set":       {set, func(run *reconcile.Run[*v1.MyApp]) { set.Observed(run) }},
		"a reference": {referent, func(run *reconcile.Run[*v1.MyApp]) { referent.Observed(run) }},
		"a digest":    {referent, func(run *reconcile.Run[*v1.MyApp]) { referent.Hash(run) }},
	} {
		t.Run(name, func(t *testing.T) {
			app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", UID: "uid"}}
			pipeline := reconcile.NewPipeline("test",
				reconcile.Func("mine", func(_ context.Context, run *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
					test.read(run)
					return reconcile.Continue, nil
				}), test.step)
			server := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(app).Build()
			if err := pipeline.Setup(reconcile.Environment{Client: server}); err != nil {
				t.Fatal(err)
			}
			_, err := pipeline.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(app)})
			if err == nil || !strings.Contains(err.Error(), "step mine: reads what step theirs has observed, which has not run yet") {
				t.Errorf("err = %v, want one that names both steps", err)
			}
		})
	}
}
