package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Tally sums up how the members of a set are doing, in one [Result]:
//
//	var members reconcile.Tally
//	for _, member := range cluster.Members {
//		members.Add(member.Name, health(member))
//	}
//	return members.Result(), nil
//
// It does not depend on the order in which they are added, so that a set that
// comes out of a map is no news in each pass. The zero value is an empty set. Not
// safe for concurrent use.
type Tally struct {
	size   int
	others []member
	after  time.Duration
}

type member struct {
	name   string
	result Result
}

// Add adds a member: [Continue] if it is ready, else what it waits for.
func (t *Tally) Add(name string, result Result) {
	t.size++
	t.after = soonest(t.after, result.after)
	if result.outcome != Continued {
		t.others = append(t.others, member{name, result})
	}
}

// Size returns how many members there are.
func (t *Tally) Size() int { return t.size }

// Ready returns how many of them are ready.
func (t *Tally) Ready() int { return t.size - len(t.others) }

// mostMembers is how many members a tally tells about.
const mostMembers = 3

// Result returns [Continue] if all are ready, also if there are none, and else a
// [Wait]: with how many are, what the first by name of the others say, and how
// many more there are, as in
//
//	3 of 8 ready; a: no leader; b: no leader; c: starting; and 2 more
//
// The reason is that of the first by name, one that is [Result.Stalled] before
// one that is not, and the result is Stalled if one of them is. The soonest of
// all requests to run again is kept.
func (t *Tally) Result() Result {
	if len(t.others) == 0 {
		return Continue.After(t.after)
	}
	others := slices.Clone(t.others)
	slices.SortFunc(others, func(a, b member) int {
		return cmp.Or(stalledFirst(a.result, b.result), cmp.Compare(a.name, b.name), cmp.Compare(a.result.message, b.result.message))
	})
	texts := []string{fmt.Sprintf("%d of %d ready", t.Ready(), t.size)}
	for _, other := range others[:min(mostMembers, len(others))] {
		texts = append(texts, other.name+": "+cmp.Or(other.result.message, other.result.reason))
	}
	if more := len(others) - mostMembers; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	worst := others[0].result
	result := Wait(worst.reason, strings.Join(texts, "; ")).After(t.after)
	if worst.stalled {
		return result.Stalled()
	}
	return result
}

// stalledFirst orders what will not come by itself before what will: it is what
// somebody has to know of.
func stalledFirst(a, b Result) int {
	switch {
	case a.stalled == b.stalled:
		return 0
	case a.stalled:
		return -1
	}
	return 1
}
