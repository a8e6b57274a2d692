package reconcile

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Missing is called by the handle of a step that is asked, with a run, for what the
// step has observed or computed, and has nothing: see [Value.By] for a handle that
// calls it by itself.
//
// Most often nothing is wrong with that: the step has run and found nothing, has
// been passed over as [When] does, or is held up or was not reached because of
// another one. It is the mistake of whoever reads if the step cannot have run: if it
// comes later in the pipeline or at the same time, if it is not in the pipeline at
// all and was not run with [Run.Do], or if it is run for each item of a [ForEach]
// and is not read through [Each.Of]. The step that reads it has failed then,
// terminally, whatever it returns, and its error names both. Steps that report run
// after all others, so that for them only the last two are mistakes.
//
// Nothing is a mistake while steps are undone, or are run by hand: there is no order
// to go by. Safe for concurrent use.
func (r *Run[T]) Missing(step string) {
	if r.at == nil || r.around == nil || r.undoing() || step == r.at.step {
		return
	}
	if what := r.mistake(step); what != "" {
		r.misread.add(misreadBy{r.at, r.item}, WithReason("Misread",
			Terminal(fmt.Errorf("reads what step %s has observed, which %s", step, what))))
	}
}

func (r *Run[T]) missing(step string) { r.Missing(step) }

// mistake returns what is wrong with reading from a step that has nothing to say.
func (r *Run[T]) mistake(step string) string {
	const early = "has not run yet: it comes later, or at the same time"
	root, reader := &r.around.root.about, r.at.step
	if each, body := root.bodyWith(step); body != nil {
		switch {
		case r.item == "":
			return fmt.Sprintf("is run for each item of %s: it is to be read through Of", each)
		case body.has(reader) && !body.before(step, reader):
			return early
		}
		return ""
	}
	if each, body := root.bodyWith(reader); body != nil {
		reader = each
	}
	switch {
	case r.home.reports.has(step):
		return ""
	case !root.has(step):
		return "is not in the pipeline"
	case r.phase == reporting || !root.has(reader) || root.before(step, reader):
		return ""
	}
	return early
}

// has reports whether a step that has a report is the described one, or below it.
func (d *Description) has(step string) bool { return d.leaf() && d.Name == step || d.branch(step) >= 0 }

// branch returns the index of that of Steps that a step is, or is below.
func (d *Description) branch(step string) int {
	for i := range d.Steps {
		if d.Steps[i].has(step) {
			return i
		}
	}
	return -1
}

// before reports whether of two steps below the described one the first has run, or
// been passed over, whenever the second begins.
func (d *Description) before(first, second string) bool {
	i, j := d.branch(first), d.branch(second)
	switch {
	case i < 0 || j < 0:
		return false
	case i == j:
		return d.Steps[i].before(first, second)
	case d.Before != nil:
		return d.Before(i, j)
	}
	return i < j
}

// bodyWith returns the name and the body of the [ForEach] that runs a step for each
// item.
func (d *Description) bodyWith(step string) (each string, body *Description) {
	if d.Items != nil && d.Items.has(step) {
		return d.Name, d.Items
	}
	for i := range d.Steps {
		if each, body = d.Steps[i].bodyWith(step); body != nil {
			return each, body
		}
	}
	return "", nil
}

// misreads are the mistakes of the steps that are running.
type misreads struct {
	any atomic.Bool
	mu  sync.Mutex
	all map[misreadBy]error
}

// misreadBy tells who has made a mistake: a step, for an item.
type misreadBy struct {
	step *meter
	item string
}

// add keeps the first mistake of a step.
func (m *misreads) add(by misreadBy, mistake error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all == nil {
		m.all = map[misreadBy]error{}
	}
	if m.all[by] == nil {
		m.all[by] = mistake
	}
	m.any.Store(true)
}

// blame adds the mistake of a step, if it has made one, to what it returned.
func (m *misreads) blame(by misreadBy, result Result, err error) (Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	mistake := m.all[by]
	if mistake == nil {
		return result, err
	}
	delete(m.all, by)
	var join Join
	join.Add(Result{}, mistake)
	join.Add(result, err)
	return join.Outcome()
}
