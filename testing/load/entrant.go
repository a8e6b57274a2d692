package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/trueup-dev/trueup/testing/load/internal/contender"
	"github.com/trueup-dev/trueup/testing/load/internal/measure"
	"github.com/trueup-dev/trueup/testing/load/internal/stage"
)

// entrant is an implementation in a contest.
type entrant struct {
	contender.Implementation
	rounds    []measure.Round
	namespace *stage.Namespace // of the last round
	operator  *stage.Operator  // after its restart
	result    measure.Result
	err       error // by which it dropped out
}

// leave stops the operator and removes the namespace.
func (e *entrant) leave(ctx context.Context) error {
	var errs []error
	if e.operator != nil {
		errs = append(errs, e.operator.Stop())
		e.operator = nil
	}
	if e.namespace != nil {
		errs = append(errs, e.namespace.Remove(ctx))
		e.namespace = nil
	}
	return errors.Join(errs...)
}

// each has all that are still in do the same one after the other, beginning with
// another one each turn. Who fails drops out, and that is reported at once; an
// error ends the contest for all.
func (t *contest) each(ctx context.Context, turn int, what string, do func(context.Context, *entrant) error) error {
	for i := range t.entrants {
		e := t.entrants[(turn+i)%len(t.entrants)]
		if e.err != nil {
			continue
		}
		if err := do(ctx, e); err != nil {
			if err := t.dropOut(ctx, e, fmt.Errorf("%s: %w", what, err)); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropOut reports who failed, and clears up behind it, so that the others are
// alone. An interruption is nobody's failure.
func (t *contest) dropOut(ctx context.Context, e *entrant, failure error) error {
	failure = fmt.Errorf("%s: %w", e.Name, failure)
	if ctx.Err() != nil {
		return failure
	}
	e.err, e.result.Error = failure, failure.Error()
	t.progress("%d MyApps: %s", t.apps, failure)
	return errors.Join(t.print(e.result), e.leave(ctx))
}

// verdict returns what makes the whole run a failure: that trueup dropped out, or
// that everybody did.
func (t *contest) verdict() error {
	var failures []error
	for _, e := range t.entrants {
		if e.err != nil && e.Name == contender.Trueup {
			return e.err
		}
		if e.err != nil {
			failures = append(failures, e.err)
		}
	}
	if len(failures) < len(t.entrants) {
		return nil
	}
	return errors.Join(failures...)
}
