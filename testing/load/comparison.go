package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/trueup-dev/trueup/testing/load/internal/contender"
	"github.com/trueup-dev/trueup/testing/load/internal/measure"
	"github.com/trueup-dev/trueup/testing/load/internal/stage"
)

// comparison lets the implementations do the same work.
type comparison struct {
	cluster         *stage.Cluster
	implementations []contender.Implementation
	workers         int
	rounds          int
	timeout         time.Duration
	progress        func(format string, args ...any)
	print           func(measure.Result) error
}

// contest is a comparison with one number of MyApps.
type contest struct {
	*comparison
	apps     int
	entrants []*entrant
}

func (c *comparison) contest(apps int) *contest {
	t := &contest{comparison: c, apps: apps}
	for _, implementation := range c.implementations {
		e := &entrant{Implementation: implementation}
		e.result.Implementation, e.result.Apps = implementation.Name, apps
		t.entrants = append(t.entrants, e)
	}
	return t
}

// warmApps is how many MyApps there are before it counts.
const warmApps = 3

// warmUp lets all implementations converge once: a fresh API server takes
// seconds for the first request of a sort.
func (c *comparison) warmUp(ctx context.Context) (err error) {
	t := c.contest(warmApps)
	defer func() { err = errors.Join(err, t.clear(ctx)) }()
	c.progress("warming up")
	for _, e := range t.entrants {
		if err := t.converge(ctx, e); err != nil {
			return fmt.Errorf("%s: converge: %w", e.Name, err)
		}
	}
	return nil
}

// run compares with that many MyApps, prints the results as soon as they are
// there, and removes what was made for it. An implementation that fails has a
// result that says so and takes nothing from the others'.
func (c *comparison) run(ctx context.Context, apps int) (err error) {
	t := c.contest(apps)
	defer func() { err = errors.Join(err, t.clear(ctx)) }()
	for round := range c.rounds {
		if err := errors.Join(t.clear(ctx), t.each(ctx, round, "converge", t.converge)); err != nil {
			return err
		}
		t.progress("%d MyApps: round %d of %d: %s", apps, round+1, c.rounds, t.lastRound())
	}
	if err := t.each(ctx, 0, "restart", t.restart); err != nil {
		return err
	}
	if err := t.noop(ctx); err != nil {
		return err
	}
	for _, e := range t.entrants {
		if e.err != nil {
			continue // printed when it dropped out
		}
		e.result.Converged(e.rounds)
		if err := t.print(e.result); err != nil {
			return err
		}
	}
	return t.verdict()
}

// lastRound tells how the last round went.
func (t *contest) lastRound() string {
	words := make([]string, len(t.entrants))
	for i, e := range t.entrants {
		if words[i] = e.Name + " dropped out"; e.err == nil {
			last := e.rounds[len(e.rounds)-1]
			words[i] = fmt.Sprintf("%s %.2f s, %.2f requests and %.2f writes a MyApp",
				e.Name, last.Seconds, last.RequestsPerApp, last.WritesPerApp)
		}
	}
	return strings.Join(words, "; ")
}

// noop measures quiet passes of all implementations against each other.
func (t *contest) noop(ctx context.Context) error {
	t.progress("%d MyApps: passes that have nothing to do", t.apps)
	var in []*entrant
	var subjects []measure.Subject
	for _, e := range t.entrants {
		if e.err != nil {
			continue
		}
		in = append(in, e)
		subjects = append(subjects, measure.Subject{
			Reconciler: e.operator.Reconciler, Keys: e.namespace.Keys(),
			Requests: func() int { all, _ := e.operator.Requests(); return all },
		})
	}
	noops, failures := measure.Noops(ctx, subjects)
	for i, e := range in {
		if failures[i] == nil {
			e.result.Noop = &noops[i]
		} else if err := t.dropOut(ctx, e, fmt.Errorf("pass: %w", failures[i])); err != nil {
			return err
		}
	}
	return nil
}

// clear stops the operators and removes the namespaces.
func (t *contest) clear(ctx context.Context) error {
	errs := make([]error, 0, len(t.entrants))
	for _, e := range t.entrants {
		errs = append(errs, e.leave(ctx))
	}
	return errors.Join(errs...)
}
