package reconcile

import (
	"slices"
	"sync"
	"time"
)

// reports is the list of reports of a pass.
type reports struct {
	mu     sync.Mutex
	byName map[string]int // of a pipeline: shared by all passes, read only
	all    []Report
	room   *[]Report // that is given back
	last   int       // place of the last report
	apart  Join      // the outcomes of reporting steps
	order  []string  // of steps that are run by hand and may end in any order
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

// expect makes room for the steps of a pipeline, all of them Unseen.
func (r *reports) expect(blank []Report, byName map[string]int) {
	if room, ok := reportRoom.Get().(*[]Report); ok {
		r.room = room
		r.all = (*room)[:0]
	}
	r.all = append(r.all, blank...)
	r.byName = byName
}

// reportRoom has the room of passes that are over, which is most of what a pass
// that has nothing to do allocates.
var reportRoom sync.Pool

// end gives the room back. What is reported afterwards, by a step that has let
// something run on, is in nobody's way.
func (r *reports) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.room == nil {
		r.room = &[]Report{}
	}
	*r.room, r.all = r.all, nil
	reportRoom.Put(r.room)
	r.room, r.byName = nil, nil
}

// near returns the place of the report of a step if it is the one at a place, or
// the one after it, as it is most often; else -1.
func near(all []Report, at int, step string) int {
	for i := at; i < len(all) && i < at+2; i++ {
		if all[i].Step == step {
			return i
		}
	}
	return -1
}

// find returns the place of the report of a step, and makes one if there is none.
func (r *reports) find(about *Description) int {
	i := near(r.all, r.last, about.Name)
	if i >= 0 {
		return i
	}
	i, ok := r.byName[about.Name]
	if !ok {
		i = slices.IndexFunc(r.all, func(report Report) bool { return report.Step == about.Name })
	}
	if i < 0 {
		i = len(r.all)
		r.all = append(r.all, blankReport(about))
	}
	return i
}

// record keeps the report of a step on an object of a generation, in the words
// that known says.
func (r *reports) record(
	about *Description, result Result, err error, known *failures, generation int64, clock func() time.Time,
) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.find(about)
	r.last = i
	r.all[i].record(result, err)
	known.settle(&r.all[i], generation, clock)
}

// stateOf returns what the pass found a step to be.
func (r *reports) stateOf(step string) State {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i, ok := r.byName[step]; ok {
		return r.all[i].State
	}
	return StateUnseen
}

func (r *reports) list() []Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Clone(r.all)
	if len(r.order) > 0 {
		slices.SortStableFunc(all, func(a, b Report) int { return r.place(a.Step) - r.place(b.Step) })
	}
	return all
}

// place returns where a report goes that is arranged; others come last.
func (r *reports) place(step string) int {
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
