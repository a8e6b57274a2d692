package faults

import (
	"fmt"
	"maps"
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
	// Schedules is how many runs there were, each with another schedule. The undisturbed
	// one is the first.
	Schedules int
	// Faults is how often which kind of thing went wrong, in all of them. What was planned
	// for a request that was not sent any more, or that it cannot happen to, did not.
	Faults map[Kind]int
	// Violations are what is wrong, by rule and by which object differs in the end.
	Violations []Violation
	// Took is how long it took, and CPU how much time of the processors the process
	// used in the meantime.
	Took, CPU time.Duration
}

// String tells the report in a few lines.
func (r *Report) String() string {
	var text strings.Builder
	faults, violations := 0, 0
	kinds := make([]string, 0, len(r.Faults))
	for _, kind := range slices.Sorted(maps.Keys(r.Faults)) {
		faults += r.Faults[kind]
		kinds = append(kinds, fmt.Sprintf("%d %s", r.Faults[kind], kind))
	}
	for _, violation := range r.Violations {
		violations += max(1, violation.Count)
	}
	fmt.Fprintf(&text, "%d requests undisturbed; %d schedules with %d faults; %d violations of %d kinds\n",
		len(r.Requests), r.Schedules, faults, violations, len(r.Violations))
	if faults > 0 {
		fmt.Fprintf(&text, "faults: %s\n", strings.Join(kinds, ", "))
	}
	fmt.Fprintf(&text, "%s: %.0f schedules a minute, %s of CPU each, which is %.0f a minute on %d processors that do nothing else\n",
		r.Took.Round(time.Millisecond), float64(r.Schedules)/r.Took.Minutes(),
		(r.CPU / time.Duration(max(1, r.Schedules))).Round(time.Millisecond),
		float64(r.Schedules*runtime.GOMAXPROCS(0))/max(r.CPU, 1).Minutes(), runtime.GOMAXPROCS(0))
	for _, violation := range r.Violations {
		fmt.Fprintf(&text, "- %s\n", violation)
	}
	return text.String()
}

// Add adds what came of another sweep, so that one report tells of several.
func (r *Report) Add(other *Report) {
	r.Requests = append(r.Requests, other.Requests...)
	r.Schedules += other.Schedules
	for kind, count := range other.Faults {
		r.count(kind, count)
	}
	for _, violation := range other.Violations {
		r.add(violation)
	}
	r.Took, r.CPU = r.Took+other.Took, r.CPU+other.CPU
}

// count counts things that went wrong.
func (r *Report) count(kind Kind, times int) {
	if r.Faults == nil {
		r.Faults = map[Kind]int{}
	}
	r.Faults[kind] += times
}

// ran counts a run, and what went wrong in it.
func (r *Report) ran(run *run) {
	r.Schedules++
	for _, kind := range run.happened {
		r.count(kind, 1)
	}
}

// add adds what runs have shown to be wrong.
func (r *Report) add(found Violation) {
	found.Count = max(1, found.Count)
	at := slices.IndexFunc(r.Violations, func(known Violation) bool { return known.Rule == found.Rule })
	if at < 0 {
		r.Violations = append(r.Violations, found)
		return
	}
	known := &r.Violations[at]
	count := known.Count + found.Count
	if shorter(found.Schedule, known.Schedule) {
		*known = found
	}
	known.Count = count
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
