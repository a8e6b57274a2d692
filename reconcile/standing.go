package reconcile

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// standings counts the objects of a pipeline by what their last pass came to.
type standings [len(standingLabels)]prometheus.Gauge

// standing is what the last pass over an object came to: a [State], or deleting in
// the place of Unseen, which is none of an object, and one more for nothing yet.
type standing = int64

const deleting = standing(StateUnseen)

// standingLabels are the values of the label state.
var standingLabels = [...]string{
	deleting: "deleting", StateReady: "ready", StateHalted: "halted",
	StateWaiting: "waiting", StateFailed: "failed", StateStalled: "stalled",
}

func newStandings(pipeline string) *standings {
	register()
	s := &standings{}
	for state, label := range standingLabels {
		s[state] = objects.WithLabelValues(pipeline, label)
	}
	return s
}

// placed is where an object is counted.
type placed struct {
	at   atomic.Int64 // one more than the standing, 0 for nowhere
	over *standings   // nil if objects are not counted
}

// move counts the object in another place.
func (p *placed) move(to standing) {
	before := p.at.Swap(to + 1)
	if before == to+1 || p.over == nil {
		return
	}
	if before > 0 {
		p.over[before-1].Dec()
	}
	p.over[to].Inc()
}

// leave counts the object no more.
func (p *placed) leave() {
	if before := p.at.Swap(0); before > 0 && p.over != nil {
		p.over[before-1].Dec()
	}
}

// stand counts what a pass came to, and the steps that it did not reach.
func (r *Run[T]) stand(result Result, err error) {
	to := standing(stateOf(result, err))
	if isDeleted(r.object) {
		to = deleting
	}
	r.memory.placed.move(to)
	for i, meter := range r.around.roster.meters {
		if r.reports.stateAt(i) == StateUnseen {
			meter.outcomes[StateUnseen].Inc()
		}
	}
}
