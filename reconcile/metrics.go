package reconcile

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// What the package comment lists, for all pipelines of the process. No label ever
// has the name of an object, or words of an error, as its value.
var (
	stepDuration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "trueup_step_duration_seconds",
		Help:    "How long a step took in a pass.",
		Buckets: []float64{.0001, .001, .005, .01, .05, .1, .5, 1, 5, 10, 30, 60},
	}, []string{"pipeline", "step"})

	stepOutcomes = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "trueup_step_outcomes_total",
		Help: "What passes found a step to be; skipped is one that they did not reach.",
	}, []string{"pipeline", "step", "outcome"})

	stepSkips = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "trueup_skips_total",
		Help: "Children that were found as they are wanted, so that nothing was sent, and what told.",
	}, []string{"pipeline", "step", "told_by"})

	writes = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "trueup_writes_total",
		Help: "Writes that the API server has accepted, and why they were sent; those of the pipeline itself have no step.",
	}, []string{"pipeline", "step", "kind", "verb", "cause"})

	writeErrors = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "trueup_write_errors_total",
		Help: "Writes that have failed, and the reason that the API server gave.",
	}, []string{"pipeline", "step", "kind", "verb", "reason"})

	objects = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "trueup_objects",
		Help: "Objects by what their last pass came to, or deleting.",
	}, []string{"pipeline", "state"})
)

// register is called before anything is counted.
var register = sync.OnceFunc(func() {
	metrics.Registry.MustRegister(stepDuration, stepOutcomes, stepSkips, writes, writeErrors, objects)
})

// otherLabel stands for all values of a label beyond those that are known.
const otherLabel = "other"

// outcomeLabels are the values of the label outcome, by [State].
var outcomeLabels = [...]string{
	StateUnseen: "skipped", StateReady: "ready", StateHalted: "halted",
	StateWaiting: "waiting", StateFailed: "failed", StateStalled: "stalled",
}
