package reconcile

import (
	"slices"
	"sync"
)

// reports is the list of reports of a pass.
type reports struct {
	mu     sync.Mutex
	byName map[string]int // of a pipeline: shared by all passes, read only
	all    []Report
	apart  Join // the outcomes of reporting steps
}

// expect makes room for the steps of a pipeline, all of them Unseen.
func (r *reports) expect(blank []Report, byName map[string]int) {
	r.all = slices.Clone(blank)
	r.byName = byName
}

// record keeps the report of a step on an object of a generation, in the words
// that known says.
func (r *reports) record(about *Description, result Result, err error, known *failures, generation int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, ok := r.byName[about.Name]
	if !ok {
		i = slices.IndexFunc(r.all, func(report Report) bool { return report.Step == about.Name })
	}
	if i < 0 {
		i = len(r.all)
		r.all = append(r.all, blankReport(about))
	}
	r.all[i].record(result, err)
	known.settle(&r.all[i], generation)
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
	return slices.Clone(r.all)
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
