package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/load/internal/measure"
	"github.com/trueup-dev/trueup/testing/load/internal/stage"
)

// childrenPerApp are the Deployment and the Service.
const childrenPerApp = 2

// converge lets an implementation bring MyApps up in a namespace of its own, and
// measures what it remembers then.
func (t *contest) converge(ctx context.Context, e *entrant) error {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	namespace, err := t.cluster.Namespace(ctx, e.Name, t.apps)
	if err != nil {
		return err
	}
	e.namespace = namespace
	round, memory, err := t.lead(ctx, e)
	if err != nil {
		return err
	}
	if memory != nil {
		held := measure.Held(&memory, namespace.Keys())
		round.RecordBytesPerChild = float64(held) / float64(t.apps*childrenPerApp)
	}
	e.rounds = append(e.rounds, round)
	return nil
}

// lead leads an operator from its start to its end, of which nothing is left but
// what it remembered.
func (t *contest) lead(ctx context.Context, e *entrant) (measure.Round, *reconcile.Memory, error) {
	operator, err := e.namespace.StartOperator(ctx, e.Implementation, t.workers)
	if err != nil {
		return measure.Round{}, nil, err
	}
	quiet := t.tell(e.Name, operator)
	seconds, err := bringUp(ctx, e.namespace, operator)
	quiet()
	requests, writes := operator.Requests()
	apps := float64(t.apps)
	convergence := measure.Convergence{
		Seconds: seconds, RequestsPerApp: float64(requests) / apps, WritesPerApp: float64(writes) / apps,
	}
	return measure.Round{Convergence: convergence}, operator.Memory, errors.Join(err, operator.Stop(), e.namespace.Settle())
}

// tell tells every now and then how many MyApps are Ready, until it is stopped.
func (t *contest) tell(implementation string, operator *stage.Operator) (stop func()) {
	done := make(chan struct{})
	var telling sync.WaitGroup
	telling.Go(func() {
		ticker := time.NewTicker(10 * time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				t.progress("%d MyApps: %s: %d are Ready", t.apps, implementation, operator.Ready())
			}
		}
	})
	return func() {
		close(done)
		telling.Wait()
	}
}

// bringUp creates the MyApps and returns how long it took until the last one was
// Ready. It returns when the operator is quiet.
func bringUp(ctx context.Context, namespace *stage.Namespace, operator *stage.Operator) (float64, error) {
	begin := time.Now()
	if err := namespace.Create(ctx); err != nil {
		return 0, err
	}
	end, err := operator.AwaitReady(ctx)
	if err != nil {
		return 0, err
	}
	return end.Sub(begin).Seconds(), operator.AwaitQuiet(ctx)
}

// restart starts an implementation again, over MyApps that are Ready, and leaves
// it running.
func (t *contest) restart(ctx context.Context, e *entrant) error {
	ctx, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	operator, err := e.namespace.StartOperator(ctx, e.Implementation, t.workers)
	if err != nil {
		return err
	}
	e.operator = operator
	if _, err := operator.AwaitReady(ctx); err != nil {
		return err
	}
	if err := operator.AwaitQuiet(ctx); err != nil {
		return err
	}
	requests, writes := operator.Requests()
	e.result.Restart = &measure.Restart{RestartRequests: requests, RestartWrites: writes}
	t.progress("%d MyApps: %s: restarted, %d requests and %d writes", t.apps, e.Name, requests, writes)
	return nil
}
