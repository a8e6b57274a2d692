package reconcile

// roster is the steps of a pipeline that have reports, in pipeline order: what is
// the same in all passes, and is only read once the pipeline is set up.
type roster struct {
	blank  []Report
	byName map[string]int
	meters []*meter // as blank; nil before setup
}

func newRoster() *roster { return &roster{byName: map[string]int{}} }

func (r *roster) add(about *Description) {
	r.byName[about.Name] = len(r.blank)
	r.blank = append(r.blank, blankReport(about))
}

// measure makes the meters.
func (r *roster) measure(pipeline string) {
	r.meters = make([]*meter, len(r.blank))
	for i := range r.blank {
		r.meters[i] = newMeter(pipeline, r.blank[i].Step)
	}
}

// place returns the place of a step, and -1 if it is none of the pipeline's. It
// looks at a place, and at the one after it, first: steps most often come one after
// the other. A nil roster has none.
func (r *roster) place(step string, at int) int {
	if r == nil {
		return -1
	}
	for i := at; i < len(r.blank) && i < at+2; i++ {
		if r.blank[i].Step == step {
			return i
		}
	}
	if i, ok := r.byName[step]; ok {
		return i
	}
	return -1
}
