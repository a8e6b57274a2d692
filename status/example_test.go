package status_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
)

// summarized runs a step and a summary by hand over an app and returns what Ready
// says.
func summarized(app *v1.MyApp, step reconcile.Step[*v1.MyApp], summary reconcile.Step[*v1.MyApp]) string {
	run, err := reconcile.NewRun(reconcile.Environment{Client: fake.NewClientBuilder().Build()}, "myapp", app)
	if err != nil {
		return err.Error()
	}
	if _, err := run.Do(context.Background(), reconcile.All(step, summary)); err != nil {
		return err.Error()
	}
	ready := app.Status.Conditions[0]
	return fmt.Sprintf("%s=%s %s: %s", ready.Type, ready.Status, ready.Reason, ready.Message)
}

func ExampleSummarize() {
	dns := reconcile.Func("dns", func(context.Context, *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
		return reconcile.Wait("ZoneLocked", "the zone is locked"), nil
	})
	fmt.Println(summarized(&v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web"}}, dns, status.Summarize(conditions)))
	// Output: Ready=False ZoneLocked: dns: the zone is locked
}

func ExampleSummary_Negative() {
	checks := status.Func(func(app *v1.MyApp, _ *reconcile.Run[*v1.MyApp]) {
		meta.SetStatusCondition(&app.Status.Conditions, metav1.Condition{
			Type: "Degraded", Status: metav1.ConditionTrue, Reason: "SlowDisk", Message: "the disk is slow",
		})
	})
	app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	app.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue}}
	fmt.Println(summarized(app, checks, status.Summarize(conditions).Negative("Degraded")))
	// Output: Ready=False SlowDisk: Degraded: the disk is slow
}

func ExampleSummary_As() {
	schema := reconcile.Func("schema", func(context.Context, *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
		return reconcile.Continue, nil
	})
	app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	fmt.Println(summarized(app, schema, status.Summarize(conditions).As("DatabaseReady")))
	// Output: DatabaseReady=True Ready: every step is ready
}
