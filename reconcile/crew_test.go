package reconcile_test

import (
	"bytes"
	"context"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/trueup-dev/trueup/reconcile"
)

// meeting is a place where steps wait for each other: it shows that they run at
// the same time.
type meeting struct {
	mu      sync.Mutex
	here    int
	most    int
	arrived chan struct{}
	of      int
	once    sync.Once
}

func newMeeting(of int) *meeting { return &meeting{of: of, arrived: make(chan struct{})} }

// step returns a step that ends when all that meet are there.
func (m *meeting) step(name string) step {
	return reconcile.Func(name, func(ctx context.Context, _ run) (reconcile.Result, error) {
		m.mu.Lock()
		m.here++
		m.most = max(m.most, m.here)
		if m.here == m.of {
			m.once.Do(func() { close(m.arrived) })
		}
		m.mu.Unlock()
		defer func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.here--
		}()
		select {
		case <-m.arrived:
			return reconcile.Continue, nil
		case <-ctx.Done():
			return reconcile.Result{}, ctx.Err()
		}
	})
}

// names returns n names: a, b, c, ….
func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = string(rune('a' + i))
	}
	return all
}

func TestStepsRunAtTheSameTimeWithinTheLimit(t *testing.T) {
	const n, limit = 12, 4
	for name, combine := range map[string]func([]step) step{
		"Parallel": func(steps []step) step { return reconcile.Parallel(steps...).Limit(limit) },
		"Graph": func(steps []step) step {
			nodes := make([]*reconcile.Node[object], len(steps))
			for i := range steps {
				nodes[i] = reconcile.At(names(n)[i], steps[i])
			}
			return reconcile.Graph(nodes...).Limit(limit)
		},
		"ForEach": func(steps []step) step {
			return reconcile.ForEach("items", func(object) []string { return names(n) }, steps[0]).Limit(limit)
		},
	} {
		t.Run(name, func(t *testing.T) {
			meeting := newMeeting(limit)
			var steps []step
			for _, name := range names(n) {
				steps = append(steps, meeting.step(name))
			}
			if got, err := outcomeInAPipeline(t, combine(steps)); err != nil || got != reconcile.Continue {
				t.Errorf("got %v, %v", got, err)
			}
			if meeting.most != limit {
				t.Errorf("%d steps ran at the same time, want %d", meeting.most, limit)
			}
		})
	}
}

// A step that ends its goroutine, as a test that fails within does, keeps nobody
// waiting and is no success.
func TestAStepThatEndsItsGoroutineHasFailed(t *testing.T) {
	both := newMeeting(2)
	// Whichever of the two is not on the goroutine of the combinator, which is the test's,
	// ends its own.
	ends := func(name string) step {
		return reconcile.Func(name, func(ctx context.Context, run run) (reconcile.Result, error) {
			helper := !bytes.Contains(debug.Stack(), []byte("testing.tRunner("))
			if _, err := both.step(name).Reconcile(ctx, run); err != nil {
				return reconcile.Result{}, err
			}
			if helper {
				runtime.Goexit()
			}
			return reconcile.Continue, nil
		})
	}
	_, err := newRun(t).Do(t.Context(), reconcile.Parallel(ends("a"), ends("b")))
	if err == nil || !strings.Contains(err.Error(), "ended its goroutine") {
		t.Errorf("err = %v, want it to say so", err)
	}
}
