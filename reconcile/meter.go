package reconcile

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// meter counts what becomes of one step of a pipeline. Everything that is counted
// in each pass is looked up once.
type meter struct {
	pipeline, step string
	duration       prometheus.Observer
	outcomes       [len(outcomeLabels)]prometheus.Counter
	skips          [len(skipLabels)]atomic.Pointer[prometheus.Counter] // few steps have them
}

// newMeter also makes the series of outcomes that have not come about yet, so that
// the first of them shows as an increase.
func newMeter(pipeline, step string) *meter {
	register()
	m := &meter{pipeline: pipeline, step: step, duration: stepDuration.WithLabelValues(pipeline, step)}
	for state, label := range outcomeLabels {
		m.outcomes[state] = stepOutcomes.WithLabelValues(pipeline, step, label)
	}
	return m
}

// ended counts a step that took as long.
func (m *meter) ended(state State, took time.Duration) {
	m.outcomes[state].Inc()
	m.duration.Observe(float64(took) / float64(time.Second)) // Seconds divides twice
}

// skipped counts a child that nothing was sent for.
func (m *meter) skipped(how Skip) {
	counter := m.skips[how].Load()
	if counter == nil {
		made := stepSkips.WithLabelValues(m.pipeline, m.step, skipLabels[how])
		counter = &made
		m.skips[how].Store(counter)
	}
	(*counter).Inc()
}

// strays are the meters of steps that no pipeline knows of: of those that are run
// by hand, or that a step makes and runs with [Run.Do].
var strays sync.Map

// strayKey tells a stray from another.
type strayKey struct{ pipeline, step string }

func strayMeter(pipeline, step string) *meter {
	key := strayKey{pipeline, step}
	if found, ok := strays.Load(key); ok {
		return found.(*meter)
	}
	found, _ := strays.LoadOrStore(key, newMeter(pipeline, step))
	return found.(*meter)
}

// epoch is what durations are measured from: only the monotonic clock is read.
var epoch = time.Now()

func sinceEpoch() time.Duration { return time.Since(epoch) }
