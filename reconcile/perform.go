package reconcile

import (
	"context"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// perform lets a step work, or be undone, and measures it, and tells of it. A
// combinator is only seen through its steps.
func (r *Run[T]) perform(ctx context.Context, c *child[T], undo bool) (Result, error) {
	began := r.began
	r.began, r.ended = 0, 0
	if !c.about.leaf() {
		result, err := guard(ctx, r, c, undo)
		r.ended = 0
		return result, err
	}
	before := r.at
	r.at = r.meterOf(c.about.Name)
	if r.verbose {
		ctx = log.IntoContext(ctx, log.FromContext(ctx).WithValues("step", c.about.Name))
	}
	var end func(Result, error)
	if began == 0 {
		began = sinceEpoch()
	}
	if r.env.Tracer != nil {
		ctx, end = r.env.Tracer.Step(ctx, &c.about, r.undoing())
	}
	if r.loans != nil {
		r.lend()
	}
	result, err := guard(ctx, r, c, undo)
	if r.loans != nil {
		r.collect(c.about.Name)
	}
	if r.misread.any.Load() {
		result, err = r.misread.blame(misreadBy{r.at, r.item}, result, err)
	}
	if end != nil {
		end(result, err)
	}
	state := stateOf(result, err)
	ended := sinceEpoch()
	r.at.ended(state, ended-began)
	r.ended = ended
	r.at = before
	if r.verbose && state != StateReady {
		tellState(ctx, state, result, err)
	}
	return result, err
}

// nextTo lets a step begin when the one before it ended, for a combinator that does
// nothing between them: reading the clock is most of what it costs to measure one.
func (r *Run[T]) nextTo(i int) {
	if i > 0 {
		r.began = r.ended
	}
	r.ended = 0
}

// apartFrom is called when such a combinator is done.
func (r *Run[T]) apartFrom() { r.began = 0 }

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
