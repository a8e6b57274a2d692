package operator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
)

// Drains asks workers to finish what they do.
type Drains interface {
	// Drain asks, and says whether it is done.
	Drain(worker string) (done bool, err error)
}

// A worker goes when it has nothing left to do, and not before leastDrain.
// DrainInterval is how often that is looked at.
const (
	DrainInterval = 5 * time.Second
	leastDrain    = time.Minute
)

// draining are the workers that are on their way out.
var draining = reconcile.NewValue[[]v1.Draining]()

// drain waits for workers that are not wanted any more. Since when is in the status,
// which outlives the process.
func drain(drains Drains) step {
	return reconcile.Func("drain", func(ctx context.Context, run run) (reconcile.Result, error) {
		if drains == nil {
			return reconcile.Continue, nil
		}
		app := run.Object()
		workers := &appsv1.DeploymentList{}
		if err := run.Client().List(ctx, workers, client.InNamespace(app.Namespace)); err != nil {
			return reconcile.Result{}, fmt.Errorf("list workers: %w", err)
		}
		var all []v1.Draining
		defer func() { draining.Set(run, all) }()
		pending := false
		for i := range workers.Items {
			deployment := &workers.Items[i]
			worker, ok := strings.CutPrefix(deployment.Name, app.Name+"-")
			if !ok || !metav1.IsControlledBy(deployment, app) || slices.Contains(app.Spec.Workers, worker) {
				continue
			}
			known := v1.Draining{Name: worker, Since: metav1.NewTime(run.Now())}
			for _, before := range app.Status.Draining {
				if before.Name == worker {
					known = before
				}
			}
			all = append(all, known)
			done, err := drains.Drain(deployment.Name)
			if err != nil {
				return reconcile.Result{}, fmt.Errorf("drain %s: %w", worker, err)
			}
			pending = pending || !done || run.Now().Sub(known.Since.Time) < leastDrain
		}
		if pending {
			return reconcile.Wait("Draining", "workers that are not wanted any more are drained").After(DrainInterval), nil
		}
		return reconcile.Continue, nil
	}).Needs(reconcile.Access{Object: &appsv1.Deployment{}, Verbs: []string{"list", "watch"}})
}

// tellDraining keeps in the status what is being drained.
func tellDraining() step {
	return status.Func(func(app *v1.MyApp, run run) {
		if all, ok := draining.Get(run); ok {
			app.Status.Draining = all
		}
	}).Named("tell-draining")
}
