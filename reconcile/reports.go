package reconcile

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// reports is what a pass has found its steps to be. Most are ready, with nothing to
// be said of them, which is kept in as little as it needs, without a lock.
type reports struct {
	roster *roster        // of the pipeline, nil without one
	states []atomic.Int32 // a State for each step of the roster
	worded atomic.Bool    // there have been words
	others atomic.Bool    // there have been steps that are not in the roster
	mu     sync.Mutex     // guards what follows
	words  []Report       // of steps of the roster that are not just ready
	more   []Report       // of steps that are not in it
	apart  Join           // the outcomes of reporting steps
	order  []string       // of steps that are run by hand and may end in any order
}

// arrange puts the reports of a step that is run by hand, and of those below it,
// in their order, whichever of them ends first.
func (r *reports) arrange(about *Description) {
	if about.leaf() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	about.Walk(func(about Description) {
		if about.leaf() && !slices.Contains(r.order, about.Name) {
			r.order = append(r.order, about.Name)
		}
	})
}

// expect makes room for the steps of a pipeline, all of them Unseen, in the room
// that there is if it is enough.
func (r *reports) expect(steps *roster, room []atomic.Int32) {
	if len(steps.blank) > len(room) {
		room = make([]atomic.Int32, len(steps.blank))
	}
	r.roster, r.states = steps, room[:len(steps.blank)]
}

// ready notes that the step at a place is ready and has nothing to say, and returns
// false if that takes more than to say so.
func (r *reports) ready(place int, known *failures) bool {
	if place < 0 || r.worded.Load() || known.any.Load() {
		return false
	}
	r.states[place].Store(int32(StateReady))
	return true
}

// record keeps the report of a step, at its place in the roster if it has one, on
// an object of a generation, in the words that known says.
func (r *reports) record(
	place int, about *Description, result Result, err error, known *failures, generation int64, clock func() time.Time,
) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list, there := &r.more, &r.others
	if place >= 0 {
		list, there = &r.words, &r.worded
	}
	there.Store(true)
	i := indexOf(*list, about.Name)
	if i < 0 {
		i = len(*list)
		*list = append(*list, blankReport(about))
	}
	report := &(*list)[i]
	report.record(result, err)
	known.settle(report, generation, clock)
	if place >= 0 {
		r.states[place].Store(int32(report.State)) //nolint:gosec // there are six
	}
}

func indexOf(all []Report, step string) int {
	return slices.IndexFunc(all, func(report Report) bool { return report.Step == step })
}

// stateAt returns what the pass found the step at a place to be.
func (r *reports) stateAt(place int) State { return State(r.states[place].Load()) }

// stateOf returns what the pass found a step of the pipeline to be.
func (r *reports) stateOf(step string) State {
	if i := r.roster.place(step, 0); i >= 0 {
		return r.stateAt(i)
	}
	return StateUnseen
}

// has reports whether the pass has come to a step, of whatever pipeline.
func (r *reports) has(step string) bool {
	if r.stateOf(step) != StateUnseen {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return indexOf(r.more, step) >= 0
}

// list returns all reports, those of the pipeline's steps in its order first.
func (r *reports) list() []Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]Report, 0, len(r.states)+len(r.more))
	for i := range r.states {
		report := r.roster.blank[i]
		if said := indexOf(r.words, report.Step); said >= 0 {
			report = r.words[said]
		}
		report.State = r.stateAt(i)
		all = append(all, report)
	}
	all = append(all, r.more...)
	if len(r.order) > 0 {
		slices.SortStableFunc(all, func(a, b Report) int { return r.rank(a.Step) - r.rank(b.Step) })
	}
	return all
}

// failed returns the reports of the steps that have failed or stalled, in order.
func (r *reports) failed() []Report {
	if !r.worded.Load() && !r.others.Load() {
		return nil
	}
	return slices.DeleteFunc(r.list(), func(report Report) bool { return report.State < StateFailed })
}

// rank returns where a report goes that is arranged; others come last.
func (r *reports) rank(step string) int {
	if i := slices.Index(r.order, step); i >= 0 {
		return i
	}
	return len(r.order)
}

// aside keeps the outcome of a reporting step.
func (r *reports) aside(result Result, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.apart.Add(result, err)
}

// takeApart returns what was kept aside, and keeps it no more.
func (r *reports) takeApart() (Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	apart := r.apart
	r.apart = Join{}
	return apart.Outcome()
}
