package stage

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/load/internal/contender"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// An Operator is an implementation at work in one namespace.
type Operator struct {
	// Reconciler makes a pass when called by hand.
	Reconciler ctrlreconcile.Reconciler
	// Memory is what the implementation remembers, nil for nothing.
	Memory *reconcile.Memory

	requests  *steptest.Requests
	activity  *activity
	readiness *readiness
	manager   *running
}

// StartOperator starts an implementation, with fresh caches and nothing
// remembered, over a namespace that has that many MyApps or will have. It
// returns when the caches are filled.
func (n *Namespace) StartOperator(
	ctx context.Context, implementation contender.Implementation, workers int,
) (*Operator, error) {
	o := &Operator{requests: &steptest.Requests{}}
	mgr, err := n.cluster.newManager(o.requests.Attach(n.cluster.Config), n.Name, workers)
	if err != nil {
		return nil, err
	}
	if o.Reconciler, o.Memory, err = implementation.Make(mgr); err != nil {
		return nil, err
	}
	o.activity = &activity{next: o.Reconciler}
	if o.readiness, err = watchReadiness(ctx, mgr, n.apps); err != nil {
		return nil, err
	}
	err = ctrl.NewControllerManagedBy(mgr).Named(implementation.Name).
		For(&v1.MyApp{}).Owns(&appsv1.Deployment{}).Owns(&corev1.Service{}).Complete(o.activity)
	if err != nil {
		return nil, fmt.Errorf("make controller: %w", err)
	}
	if o.manager, err = start(ctx, mgr); err != nil {
		return nil, err
	}
	return o, nil
}

// Ready returns how many MyApps are Ready now.
func (o *Operator) Ready() int { return o.readiness.count() }

// AwaitReady waits until all MyApps are Ready, and returns when the last one was.
func (o *Operator) AwaitReady(ctx context.Context) (time.Time, error) {
	select {
	case <-o.readiness.met:
		return o.readiness.when, nil
	case <-ctx.Done():
		return time.Time{}, fmt.Errorf("%d of %d MyApps are Ready: %w",
			o.readiness.count(), o.readiness.want, o.activity.explain(ctx.Err()))
	}
}

// AwaitQuiet waits until every MyApp has been looked at and nothing more happens.
func (o *Operator) AwaitQuiet(ctx context.Context) error {
	return o.activity.awaitQuiet(ctx, o.readiness.want)
}

// Requests returns how many requests the operator has sent, without lists,
// watches and events, and how many of them were writes.
func (o *Operator) Requests() (all, writes int) {
	for _, request := range o.requests.All() {
		if request.Resource != "events" {
			all++
		}
	}
	return all, len(o.requests.Writes())
}

// Stop stops the operator.
func (o *Operator) Stop() error { return o.manager.stop() }

// blocking says whether to wait for an informer's cache to be filled.
func blocking(wait bool) cache.InformerGetOption { return cache.BlockUntilSynced(wait) }
