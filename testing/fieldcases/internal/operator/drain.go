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

// DrainInterval is how often it is looked at whether a worker has nothing left to do.
const DrainInterval = 5 * time.Second

// draining are the workers that are on their way out.
var draining = reconcile.NewValue[[]v1.Draining]()

// leaving looks for workers that are not wanted any more and have a Deployment still,
// and waits until they may go. Who leaves, and since when, is in the status before
// anything is done about it: that outlives the process, and the steps that follow go
// by it.
func leaving(o *Options) step {
	return reconcile.Func("leaving", func(ctx context.Context, run run) (reconcile.Result, error) {
		app := run.Object()
		workers := &appsv1.DeploymentList{}
		if err := run.Client().List(ctx, workers, client.InNamespace(app.Namespace)); err != nil {
			return reconcile.Result{}, fmt.Errorf("list workers: %w", err)
		}
		var all []v1.Draining
		defer func() { draining.Set(run, all) }()
		known, pending := 0, false
		for i := range workers.Items {
			worker, ok := strings.CutPrefix(workers.Items[i].Name, app.Name+"-")
			if !ok || !metav1.IsControlledBy(&workers.Items[i], app) || slices.Contains(app.Spec.Workers, worker) {
				continue
			}
			leaves := v1.Draining{Name: worker, Since: metav1.NewTime(run.Now())}
			if at := slices.IndexFunc(app.Status.Draining, func(before v1.Draining) bool { return before.Name == worker }); at >= 0 {
				leaves = app.Status.Draining[at]
				known++
			}
			all = append(all, leaves)
			busy, err := o.busy(run, leaves)
			if err != nil {
				return reconcile.Result{}, fmt.Errorf("drain %s: %w", worker, err)
			}
			pending = pending || busy
		}
		switch {
		case known < max(len(all), len(app.Status.Draining)):
			return reconcile.Wait("Leaving", "it is noted which workers are not wanted any more").After(time.Second), nil
		case pending:
			return reconcile.Wait("Draining", "workers that are not wanted any more are drained").After(DrainInterval), nil
		}
		return reconcile.Continue, nil
	}).Needs(reconcile.Access{Object: &appsv1.Deployment{}, Verbs: []string{"list", "watch"}})
}

// busy asks a worker to finish what it does, and reports whether it may not go yet.
func (o *Options) busy(run run, worker v1.Draining) (bool, error) {
	if o.Drains == nil {
		return false, nil
	}
	done, err := o.Drains.Drain(run.Object().Name + "-" + worker.Name)
	least := time.Minute
	if o.Hasty {
		least = 0
	}
	return !done || run.Now().Sub(worker.Since.Time) < least, err
}

// tellDraining keeps in the status what is being drained.
func tellDraining() step {
	return status.Func(func(app *v1.MyApp, run run) {
		if all, ok := draining.Get(run); ok {
			app.Status.Draining = all
		}
	}).Named("tell-draining")
}
