package reconcile_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/trueup-dev/trueup/reconcile"
)

// rendezvous is where so many have to be at the same time before any may go on, as
// requests are that are under way together.
type rendezvous struct {
	mu    sync.Mutex
	left  int
	there chan struct{}
}

func newRendezvous(n int) *rendezvous { return &rendezvous{left: n, there: make(chan struct{})} }

func (m *rendezvous) join(ctx context.Context) error {
	m.mu.Lock()
	if m.left--; m.left == 0 {
		close(m.there)
	}
	m.mu.Unlock()
	select {
	case <-m.there:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Ten independent steps are all under way at the same time, so that a cold create of
// ten children takes one round trip. Nothing is measured: each waits for all others.
func TestIndependentStepsTakeOneRoundTrip(t *testing.T) {
	const n = 10
	for name, combine := range map[string]func([]step) step{
		"Parallel": func(steps []step) step { return reconcile.Parallel(steps...) },
		"Graph": func(steps []step) step {
			nodes := make([]*reconcile.Node[object], len(steps))
			for i, step := range steps {
				nodes[i] = reconcile.At(fmt.Sprint(i), step)
			}
			return reconcile.Graph(nodes...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			forward, backward := newRendezvous(n), newRendezvous(n)
			at := func(m *rendezvous) reconcile.Action[object] {
				return func(ctx context.Context, _ run) (reconcile.Result, error) { return reconcile.Continue, m.join(ctx) }
			}
			steps := make([]step, n)
			for i := range steps {
				steps[i] = reconcile.Func(fmt.Sprintf("step-%d", i), at(forward)).Undo(at(backward))
			}
			combined := combine(steps)
			if _, err := newRun(t).Do(t.Context(), combined); err != nil {
				t.Errorf("forward: %v", err)
			}
			if _, err := combined.Finalize(t.Context(), newRun(t)); err != nil {
				t.Errorf("backward: %v", err)
			}
		})
	}
}

// BenchmarkGraph measures the scheduling of fifty steps that do nothing, in five
// rows of ten, each of which is after one of the row before.
func BenchmarkGraph(b *testing.B) {
	nodes := make([]*reconcile.Node[app], 50)
	for i := range nodes {
		nodes[i] = reconcile.At(fmt.Sprint(i), reconcile.Func(fmt.Sprintf("step-%d", i), nothing))
		if i >= 10 {
			nodes[i].After(fmt.Sprint(i - 10))
		}
	}
	steps := make([]reconcile.Step[app], 50)
	for i := range steps {
		steps[i] = reconcile.Func(fmt.Sprintf("step-%d", i), nothing)
	}
	b.Run("Paired", func(b *testing.B) { // by turns: see BenchmarkOverhead
		graph, graphWrote := quietPasses(b, reconcile.Graph(nodes...))
		sequence, sequenceWrote := quietPasses(b, steps...)
		pair(b, 20, "scheduling", spell{name: "fifty-steps", do: graph}, spell{name: "fifty-in-sequence", do: sequence})
		graphWrote()
		sequenceWrote()
	})
	b.Run("FiftySteps", func(b *testing.B) { benchmarkPasses(b, reconcile.Graph(nodes...)) })
	b.Run("FiftyInSequence", func(b *testing.B) { benchmarkPasses(b, steps...) })
}
