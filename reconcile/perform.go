package reconcile

import (
	"context"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// perform calls a method of a step, and measures it, and tells of it. A combinator
// is only seen through its steps.
//
// It is no method of the run because of its third parameter: a generic alias among
// the parameters of a method deadlocks the compiler of Go 1.26 in other packages.
func perform[T client.Object](ctx context.Context, r *Run[T], c *child[T], method Action[T]) (Result, error) {
	if !c.about.leaf() {
		return guard(ctx, r, c, method)
	}
	before := r.at
	r.at = r.meterOf(c.about.Name)
	if r.verbose {
		ctx = log.IntoContext(ctx, log.FromContext(ctx).WithValues("step", c.about.Name))
	}
	var end func(Result, error)
	began := sinceEpoch()
	if r.env.Tracer != nil {
		ctx, end = r.env.Tracer.Step(ctx, &c.about, r.undoing())
	}
	result, err := guard(ctx, r, c, method)
	if end != nil {
		end(result, err)
	}
	state := stateOf(result, err)
	r.at.ended(state, sinceEpoch()-began)
	r.at = before
	if r.verbose && state != StateReady {
		tellState(ctx, state, result, err)
	}
	return result, err
}

// tellState logs that a step is not ready.
func tellState(ctx context.Context, state State, result Result, err error) {
	if err != nil {
		log.FromContext(ctx).V(1).Info("step has failed", "state", state.String(), "reason", reasonOf(err), "err", err.Error())
		return
	}
	log.FromContext(ctx).V(1).Info("step is not ready", "state", state.String(), "reason", result.reason, "message", result.message)
}

// meterOf returns the meter of a step.
func (r *Run[T]) meterOf(step string) *meter {
	if r.around != nil {
		if i := r.around.roster.place(step, r.step); i >= 0 {
			r.step = i
			return r.around.roster.meters[i]
		}
	}
	return strayMeter(r.pipeline, step)
}

// listen finds out whether anybody reads what is logged at V(1): asking in every
// step costs more than everything else that is told of it, and so does a logger of
// controller-runtime, which is made anew for each caller.
func (r *Run[T]) listen(ctx context.Context) {
	logger, err := logr.FromContext(ctx)
	if err != nil {
		logger = log.Log
	}
	r.verbose = logger.V(1).Enabled()
}
