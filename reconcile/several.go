package reconcile

import (
	"context"
	"errors"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Several returns a reconciler that calls several for each object, one after the
// other and whatever came of those before: pipelines, each with its own steps,
// finalizers, field manager and conditions, and handwritten ones among them.
//
//	build := ctrl.NewControllerManagedBy(mgr).Named("myapp").For(&v1.MyApp{})
//	err := errors.Join(web.SetupWithBuilder(mgr, build), database.SetupWithBuilder(mgr, build))
//	…
//	err = build.Complete(reconcile.Several(web, database))
//
// What they return is merged by the rules of [Join]: no error is lost, and it is
// terminal only if all are; the soonest requeue counts. Of priorities the highest
// counts. The deprecated Requeue is kept where there is no error and no sooner
// request. A panic in one of them is its error. A nil one is a terminal error of
// every pass.
//
// All see the object as the cache has it. What one writes, the next may not see
// before the controller is woken by it; a pipeline's writes to the object are under
// an optimistic lock and merged. To sum up all of them in one Ready, see package
// status. It is safe for concurrent use if they are.
func Several(reconcilers ...ctrlreconcile.Reconciler) ctrlreconcile.Reconciler {
	return several(append([]ctrlreconcile.Reconciler(nil), reconcilers...))
}

type several []ctrlreconcile.Reconciler

// Reconcile implements controller-runtime's Reconciler.
func (t several) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var join Join
	var priority *int
	again := false
	for i, one := range t {
		result, err := call(ctx, one, req)
		if err != nil && len(t) > 1 {
			err = fmt.Errorf("%s: %w", nameOf(one, i), err)
		}
		join.Add(Continue.After(max(0, result.RequeueAfter)), err)
		again = again || result.Requeue //nolint:staticcheck // somebody's old code may still return it
		if result.Priority != nil && (priority == nil || *result.Priority > *priority) {
			priority = result.Priority
		}
	}
	joined, err := join.Outcome()
	if after := afterOf(err); after > 0 && IsTerminal(err) {
		log.FromContext(ctx).Error(err, "one failed for good; another asked to run again", "after", after.String())
	}
	result, err := Return(joined, err)
	result.Priority = priority
	if err == nil && result.RequeueAfter == 0 {
		result.Requeue = again //nolint:staticcheck // see above
	}
	return result, err
}

// call calls one of them.
func call(ctx context.Context, one ctrlreconcile.Reconciler, req ctrl.Request) (result ctrl.Result, err error) {
	if isNil(one) {
		return ctrl.Result{}, Terminal(errors.New("the reconciler is nil"))
	}
	defer Recover(&err)
	return one.Reconcile(ctx, req)
}

// nameOf names one of them in its error.
func nameOf(one ctrlreconcile.Reconciler, place int) string {
	if pipeline, ok := one.(interface{ Name() string }); ok && !isNil(one) {
		return "pipeline " + pipeline.Name()
	}
	return fmt.Sprintf("reconciler %d", place+1)
}
