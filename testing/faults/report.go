package faults

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A Violation is something that a run has shown to be wrong.
type Violation struct {
	// Rule is what does not hold: the name of an invariant, or one of those that hold
	// for every operator.
	Rule string
	// Detail says how.
	Detail string
	// Schedule is what had to go wrong to show it: the shortest that was found.
	Schedule Schedule
	// Count is how many schedules show it.
	Count int
	// Story is the run of the schedule, line by line.
	Story []string
}

// String tells the violation in a line.
func (v Violation) String() string {
	return fmt.Sprintf("%q is broken by %s (and %d more): %s", v.Rule, v.Schedule, max(0, v.Count-1), firstLines(v.Detail, 1))
}

func firstLines(text string, count int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[:min(count, len(lines))], "\n")
}

// A Report is what came of a sweep.
type Report struct {
	// Requests are those of the undisturbed run.
	Requests []string
	// Schedules is how many runs there were, each with another schedule, and Faults how
	// many things went wrong in all of them.
	Schedules, Faults int
	// Violations are what is wrong, by rule and by which object differs in the end.
	Violations []Violation
	// Took is how long it took, and CPU how much time of the processors the process
	// used in the meantime.
	Took, CPU time.Duration
}

// String tells the report in a few lines.
func (r *Report) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d requests undisturbed; %d schedules with %d faults; %d kinds of violation; %s: %.0f schedules a minute, %s of CPU each, which is %.0f a minute on %d processors that do nothing else\n",
		len(r.Requests), r.Schedules, r.Faults, len(r.Violations), r.Took.Round(time.Millisecond),
		float64(r.Schedules)/r.Took.Minutes(), (r.CPU / time.Duration(max(1, r.Schedules))).Round(time.Millisecond),
		float64(r.Schedules*runtime.GOMAXPROCS(0))/max(r.CPU, 1).Minutes(), runtime.GOMAXPROCS(0))
	for _, violation := range r.Violations {
		fmt.Fprintf(&text, "- %s\n", violation)
	}
	return text.String()
}

// add adds what a run has shown to be wrong.
func (r *Report) add(found Violation) {
	at := slices.IndexFunc(r.Violations, func(known Violation) bool { return known.Rule == found.Rule })
	if at < 0 {
		found.Count = 1
		r.Violations = append(r.Violations, found)
		return
	}
	known := &r.Violations[at]
	found.Count = known.Count + 1
	known.Count++
	if shorter(found.Schedule, known.Schedule) {
		*known = found
	}
}

// shorter orders schedules by how little goes wrong in them, and then how early.
func shorter(a, b Schedule) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	for i := range a {
		if a[i].At != b[i].At {
			return a[i].At < b[i].At
		}
	}
	return a.String() < b.String()
}
