// Package operator is an operator of MyApps as an author would write it with the
// library: many small steps.
package operator

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
	"github.com/trueup-dev/trueup/status"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// Name of the pipeline.
const Name = "myapp"

type (
	run  = *reconcile.Run[*v1.MyApp]
	step = reconcile.Step[*v1.MyApp]
)

// Options tell one operator, or one version of it, from another.
type Options struct {
	// Registry keeps an entry for each app. Defaults to none.
	Registry Registry
	// Probed gives the container a probe.
	Probed bool
	// PodLabel is the label app of the pods. Defaults to the app's name.
	PodLabel string
	// JobEnv is the environment of the migration.
	JobEnv map[string]string
	// Recreate lets the Deployment be made again.
	Recreate bool
	// ServicePort names the port of the Service. Defaults to "http".
	ServicePort string
	// Claims gives each worker a claim.
	Claims bool
	// Drains lets workers finish before they go. Defaults to not.
	Drains Drains
	// Hasty lets them go as soon as they have finished. Defaults to not before a minute.
	Hasty bool
	// Before are further steps that run first.
	Before []step
	// Beside are further steps that run beside those that keep children.
	Beside []step
}

// New returns the operator.
func New(options Options) *reconcile.Pipeline[*v1.MyApp] {
	o := &options
	config := resources.Ensure(desiredConfig).When(hasConfig)
	deployment := resources.EnsureFrom(func(app *v1.MyApp, run run) (deployed, error) { return o.desiredDeployment(app, run, config) })
	if o.Recreate {
		deployment.Recreate()
	}
	registry := registered{o.Registry}

	steps := append(append([]step{}, o.Before...),
		finalizer.Func("myapp.example/cleanup", registry.release).Acquire(registry.acquire),
		reconcile.Func("running", whilePaused),
		reconcile.Func("spec", validate),
		reconcile.All(append([]step{
			resources.Reference(secretOf).Optional(),
			// Pods start with a configuration that is there, and a Service selects
			// pods that are.
			reconcile.Sequence(config, deployment, resources.Ensure(o.desiredService)),
			resources.Ensure(desiredIngress).Named("Expose").When(func(app *v1.MyApp) bool { return app.Spec.Expose }),
			reconcile.Sequence(findMigration(), migration(o)),
			workers(o),
			storage(),
		}, o.Beside...)...),
		status.Func(func(app *v1.MyApp, run run) {
			if d, ok := deployment.Observed(run); ok {
				app.Status.ReadyReplicas = d.Status.ReadyReplicas
			}
			if id, ok := registryID.Get(run); ok {
				app.Status.RegistryID = id
			}
			tellPaused(app)
		}),
		tellDraining(),
		Summary(),
	)
	return reconcile.NewPipeline(Name, steps...)
}

// Summary is the step that keeps the conditions.
func Summary() reconcile.Step[*v1.MyApp] {
	return status.Summarize(func(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions })
}

// pausedAnnotation stops the operator.
const pausedAnnotation = "paused"

func paused(app *v1.MyApp) bool { return app.Annotations[pausedAnnotation] == "true" }

func whilePaused(_ context.Context, run run) (reconcile.Result, error) {
	if paused(run.Object()) {
		return reconcile.Halt("Paused", "the annotation paused is true"), nil
	}
	return reconcile.Continue, nil
}

// tellPaused keeps the condition Paused.
func tellPaused(app *v1.MyApp) {
	if !paused(app) {
		meta.RemoveStatusCondition(&app.Status.Conditions, "Paused")
		return
	}
	meta.SetStatusCondition(&app.Status.Conditions, metav1.Condition{
		Type: "Paused", Status: metav1.ConditionTrue, Reason: "Annotated", ObservedGeneration: app.Generation,
	})
}
