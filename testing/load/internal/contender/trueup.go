package contender

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apilabels "k8s.io/apimachinery/pkg/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
)

// pipelineName is the field manager too.
const pipelineName = "load"

// newTrueup is the core of the pipeline of examples/myapp. It is put together by hand where
// SetupWithManager would do, because the tool holds its memory, wraps its passes
// and, as for the other contenders, records no events.
func newTrueup(mgr ctrl.Manager) (ctrlreconcile.Reconciler, *reconcile.Memory, error) {
	steps := pipelineSteps(newZone())
	if err := reconcile.RegisterIndexes(mgr, pipelineName, steps...); err != nil {
		return nil, nil, fmt.Errorf("make trueup: %w", err)
	}
	environment := reconcile.EnvironmentOf(mgr, pipelineName)
	environment.Recorder = nil
	pipeline := reconcile.NewPipeline(pipelineName, steps...)
	if err := pipeline.Setup(environment); err != nil {
		return nil, nil, fmt.Errorf("make trueup: %w", err)
	}
	return pipeline, environment.Memory, nil
}

func pipelineSteps(records *zone) []reconcile.Step[*v1.MyApp] {
	deployment := resources.Ensure(desiredDeployment)
	service := resources.Ensure(desiredService)

	return []reconcile.Step[*v1.MyApp]{
		finalizer.Func(finalizerName, func(_ context.Context, run *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
			records.release(run.Object())
			return reconcile.Continue, nil
		}).Acquire(func(_ context.Context, run *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
			records.register(run.Object())
			return reconcile.Continue, nil
		}),
		reconcile.All(deployment, service),
		status.Func(func(app *v1.MyApp, run *reconcile.Run[*v1.MyApp]) {
			if d, ok := deployment.Peek(run); ok {
				app.Status.Replicas = d.Status.Replicas
				app.Status.ReadyReplicas = d.Status.ReadyReplicas
				app.Status.Selector = apilabels.FormatLabels(d.Spec.Selector.MatchLabels)
			}
		}),
		status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions }),
	}
}
