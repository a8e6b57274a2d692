package faults

import (
	"context"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
	"github.com/trueup-dev/trueup/testing/steptest/operator"
)

// atOnce is how many runs take place at the same time on a cluster: mostly they wait.
const atOnce = 6

// OnCluster is [Sweep.Run] on a real cluster that has controllers: the API server, the
// garbage collector and the controllers of workloads are the real ones, and Actors are
// not used. It learns the requests and draws the schedules in memory, and goes through
// the scenario in a namespace of its own for each, which namespace makes. Sample should
// be set: a run takes seconds.
//
// Invariants are looked at after each pass, with reads that are live. What a real
// cluster makes different each time, such as addresses and revisions, is left out of
// the comparison at the end.
func (s Sweep) OnCluster(t *testing.T, config *rest.Config, namespace func() string) *Report {
	t.Helper()
	s.required(t)
	began, used := time.Now(), cpu()
	learned := s.once(t, nil, false)
	if learned.err != nil {
		t.Fatalf("the undisturbed run in memory: %v", learned.err)
	}
	schedules := append([]Schedule{nil}, s.schedules(t, learned.run)...)
	s.Actors = []memory.Actor{}
	outcomes := make([]outcome, len(schedules))
	free := make(chan struct{}, atOnce)
	var runs sync.WaitGroup
	for i, schedule := range schedules {
		where := namespace() // not in the goroutine: it may end the test
		runs.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			outcomes[i] = s.onceOn(t.Context(), config, where, schedule, learned.run)
		})
	}
	runs.Wait()
	if err := outcomes[0].err; err != nil {
		t.Fatalf("the undisturbed run: %v", err)
	}
	report := &Report{}
	for _, request := range outcomes[0].run.requests {
		report.Requests = append(report.Requests, request.String())
	}
	for _, came := range outcomes {
		report.ran(came.run)
		if violation := s.judge(outcomes[0], came); violation != nil {
			violation.Story = came.run.trace
			report.add(*violation)
		}
	}
	report.Took, report.CPU = time.Since(began), cpu()-used
	return report
}

// onceOn goes through the scenario once on a cluster.
func (s *Sweep) onceOn(ctx context.Context, config *rest.Config, where string, schedule Schedule, learned *run) outcome {
	sweep := *s
	watched, err := operator.WatchNamespace(ctx, config, s.Kinds.Scheme(), where, learned.kinds)
	if err != nil {
		return outcome{run: newRun(&sweep, schedule, nil, where, nil), err: err}
	}
	defer watched.Stop()
	live := &live{Watched: watched}
	sweep.Ignore = live.ignoring(s.Ignore)
	r := newRun(&sweep, schedule, live, where, nil)
	r.live = live
	r.wait = func(wait time.Duration) {
		if wait > calm {
			r.operator().Hurry()
			return
		}
		live.Pause(wait)
	}
	return sweep.in(ctx, r, true)
}
