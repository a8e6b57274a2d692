package faults

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// replay is a schedule to run instead of all.
var replay = flag.String("faults.schedule", "", "run only this schedule of a sweep, or the one in @file, and tell its story")

// seed draws other schedules than those of every day.
var seed = flag.Uint64("faults.seed", 0, "draw samples and pairs with this seed instead of the sweep's own")

// namespace is that of runs in memory.
const namespace = "demo"

// garbage is how much garbage there may be for what is in use, in percent: little is
// in use, and a sweep makes a lot of it.
const garbage = 400

// Run goes through the scenario undisturbed, and again for each thing that can go
// wrong at each of its requests, and then for the pairs. It fails the test only where
// the scenario itself cannot be gone through; what is wrong is in the report, with the
// shortest schedule that shows it.
//
// These rules hold for every operator, besides the invariants of the subject:
//
//   - "comes to an end": some passes after each change nothing is left to be done.
//     What asks to be looked at again without changing anything is at its end.
//   - "ends in the same state": the objects, and what is outside of the cluster, are
//     what they are at the end of the undisturbed run.
//   - "quiet when nothing is to be done": started again in that state, it writes nothing.
//   - "no panics".
//
// Each run takes place in an API server in memory and in a bubble of testing/synctest,
// so that waiting takes no time, on as many processors as there are. Requests take
// turns (see [operator.Options]), so that the same schedule gives the same run: the same
// passes, and in them the same requests in the same order, also where steps run at the
// same time. What an operator draws by lot, such as the UIDs of objects, generated names
// and jitter, is not the same, and neither is the order in which it goes through a map,
// unless its requests do not depend on it.
func (s Sweep) Run(t *testing.T) *Report {
	t.Helper()
	s.required(t)
	defer debug.SetGCPercent(debug.SetGCPercent(garbage))
	began, used := time.Now(), cpu()
	undisturbed := s.once(t, nil, false)
	if undisturbed.err != nil {
		t.Fatalf("the undisturbed run: %v", undisturbed.err)
	}
	if len(undisturbed.run.requests) == 0 {
		t.Fatal("the undisturbed run: the operator sends no request at which something could go wrong")
	}
	report := &Report{}
	report.ran(undisturbed.run)
	for _, request := range undisturbed.run.requests {
		report.Requests = append(report.Requests, request.String())
	}
	if violation := undisturbed.run.violation; violation != nil {
		report.add(*violation)
	}
	schedules := s.schedules(t, undisturbed.run)
	if undisturbed.run.endless {
		schedules = nil // there is no end to compare with
	}
	var mu sync.Mutex
	inParallel(t, schedules, func(t *testing.T, schedule Schedule) {
		t.Helper()
		came := s.once(t, schedule, *replay != "")
		violation := s.judge(undisturbed, came)
		mu.Lock()
		defer mu.Unlock()
		report.ran(came.run)
		switch {
		case violation != nil:
			report.add(*violation)
		case *replay != "":
			t.Logf("the run of %s, with which nothing is wrong:\n%s", schedule, strings.Join(came.run.trace, "\n"))
		}
		if *replay != "" && len(came.run.happened) < len(schedule) {
			t.Errorf("of %s only %v happened: the run has %d requests, and conflicts are of writes", schedule, came.run.happened, len(came.run.requests))
		}
	})
	for i := range report.Violations {
		report.Violations[i].Story = s.once(t, report.Violations[i].Schedule, true).run.trace
	}
	report.Took, report.CPU = time.Since(began), cpu()-used
	return report
}

// Check runs the sweep, logs the report, and fails the test if anything is wrong.
func (s Sweep) Check(t *testing.T) *Report {
	t.Helper()
	report := s.Run(t)
	t.Log(report)
	for _, violation := range report.Violations {
		t.Errorf("%s\nthe run:\n%s\nto see it again: go test -run '^%s$' -faults.schedule='%s'",
			violation, strings.Join(append(violation.Story, violation.Detail), "\n"), t.Name(), violation.Schedule)
	}
	return report
}

// schedules returns what to run.
func (s *Sweep) schedules(t *testing.T, undisturbed *run) []Schedule {
	t.Helper()
	if *replay == "" {
		draw := s.Seed
		if *seed != 0 {
			draw = *seed
		}
		single := singles(undisturbed.requests, undisturbed.kinds)
		return append(slices.Clip(sampleOfEach(single, s.Sample, draw)), pairs(single, s.Pairs, draw)...)
	}
	text := *replay
	if file, ok := strings.CutPrefix(text, "@"); ok {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	schedule, err := ParseSchedule(text)
	if err != nil {
		t.Fatal(err)
	}
	return []Schedule{schedule}
}

// inParallel calls a function for each item, on all processors.
func inParallel[E any](t *testing.T, items []E, do func(*testing.T, E)) {
	t.Helper()
	workers := runtime.GOMAXPROCS(0)
	t.Run("schedules", func(t *testing.T) {
		for worker := range workers {
			t.Run(fmt.Sprint(worker+1), func(t *testing.T) {
				t.Parallel()
				for i := worker; i < len(items); i += workers {
					do(t, items[i])
				}
			})
		}
	})
}

// outcome is what a run has come to.
type outcome struct {
	run     *run
	picture map[string]string
	err     error
}

// once goes through the scenario once.
func (s *Sweep) once(t *testing.T, schedule Schedule, trace bool) outcome {
	t.Helper()
	var came outcome
	synctest.Test(t, func(t *testing.T) {
		came = s.in(t.Context(), newRun(s, schedule, s.Kinds.NewServer(), namespace, func(wait time.Duration) { <-time.After(wait) }), trace)
	})
	return came
}

func (s *Sweep) in(ctx context.Context, run *run, trace bool) outcome {
	run.tracing = trace
	came := outcome{run: run, err: run.whole(ctx)}
	if came.err == nil {
		came.picture, came.err = run.picture()
	}
	return came
}

// judge returns what is wrong with a run, nil if nothing is.
func (s *Sweep) judge(undisturbed, disturbed outcome) *Violation {
	switch {
	case disturbed.err != nil:
		return &Violation{Rule: "can be gone through", Detail: disturbed.err.Error(), Schedule: disturbed.run.schedule}
	case disturbed.run.violation != nil:
		return disturbed.run.violation
	}
	if diff := cmp.Diff(undisturbed.picture, disturbed.picture); diff != "" {
		return &Violation{
			Rule:     "ends in the same state: " + strings.Join(differing(undisturbed.picture, disturbed.picture), ", "),
			Detail:   "(-undisturbed +disturbed)\n" + diff,
			Schedule: disturbed.run.schedule,
		}
	}
	return nil
}
