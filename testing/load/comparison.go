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
}

// contest is a comparison with one number of MyApps.
type contest struct {
	*comparison
	apps       int
	rounds     [][]measure.Convergence // by implementation
	namespaces []*stage.Namespace      // of the last round
	operators  []*stage.Operator       // after their restart
	results    []measure.Result
}

func (c *comparison) contest(apps int) *contest {
	n := len(c.implementations)
	return &contest{
		comparison: c, apps: apps,
		rounds:     make([][]measure.Convergence, n),
		namespaces: make([]*stage.Namespace, n),
		operators:  make([]*stage.Operator, n),
		results:    make([]measure.Result, n),
	}
}

// warmApps is how many MyApps there are before it counts.
const warmApps = 3

// warmUp lets all implementations converge once: a fresh API server takes
// seconds for the first request of a sort.
func (c *comparison) warmUp(ctx context.Context) (err error) {
	t := c.contest(warmApps)
	defer func() { err = errors.Join(err, t.clear(ctx)) }()
	c.progress("warming up")
	return t.round(ctx, 0)
}

// run compares with that many MyApps, and removes what was made for it. There
// are results beside an error if only the removing failed.
func (c *comparison) run(ctx context.Context, apps int) (_ []measure.Result, err error) {
	t := c.contest(apps)
	defer func() { err = errors.Join(err, t.clear(ctx)) }()
	for round := range c.rounds {
		if err := errors.Join(t.clear(ctx), t.round(ctx, round)); err != nil {
			return nil, err
		}
		t.progress("%d MyApps: all Ready, round %d of %d: %s", apps, round+1, c.rounds, t.lastRound())
	}
	for i, implementation := range t.implementations {
		if err := t.restart(ctx, i); err != nil {
			return nil, fmt.Errorf("%s: restart: %w", implementation.Name, err)
		}
	}
	if err := t.noop(ctx); err != nil {
		return nil, err
	}
	return t.results, nil
}

// round lets all implementations converge, each time another one first.
func (t *contest) round(ctx context.Context, round int) error {
	for turn := range t.implementations {
		i := (round + turn) % len(t.implementations)
		if err := t.converge(ctx, i); err != nil {
			return fmt.Errorf("%s: converge: %w", t.implementations[i].Name, err)
		}
	}
	return nil
}

// lastRound tells how long the last round took.
func (t *contest) lastRound() string {
	words := make([]string, len(t.implementations))
	for i, implementation := range t.implementations {
		last := t.rounds[i][len(t.rounds[i])-1]
		words[i] = fmt.Sprintf("%s %.2f s", implementation.Name, last.Seconds)
	}
	return strings.Join(words, ", ")
}

// noop measures quiet passes of all implementations against each other.
func (t *contest) noop(ctx context.Context) error {
	t.progress("%d MyApps: passes that have nothing to do", t.apps)
	subjects := make([]measure.Subject, len(t.implementations))
	for i := range subjects {
		operator := t.operators[i]
		subjects[i] = measure.Subject{
			Name: t.implementations[i].Name, Reconciler: operator.Reconciler, Keys: t.namespaces[i].Keys(),
			Requests: func() int { all, _ := operator.Requests(); return all },
		}
	}
	noops, err := measure.Noops(ctx, subjects)
	if err != nil {
		return err
	}
	for i := range noops {
		result := &t.results[i]
		result.Implementation, result.Apps, result.Noop = t.implementations[i].Name, t.apps, noops[i]
		result.Converged(t.rounds[i])
	}
	return nil
}

// clear stops the operators and removes the namespaces.
func (t *contest) clear(ctx context.Context) error {
	var errs []error
	for i := range t.operators {
		if t.operators[i] != nil {
			errs = append(errs, t.operators[i].Stop())
			t.operators[i] = nil
		}
		if t.namespaces[i] != nil {
			errs = append(errs, t.namespaces[i].Remove(ctx))
			t.namespaces[i] = nil
		}
	}
	return errors.Join(errs...)
}
