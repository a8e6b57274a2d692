package reconcile_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/trueup-dev/trueup/reconcile"
)

// n of m ready, the first names, then "and k more", whatever order they come in.
func TestTally(t *testing.T) {
	type entry struct {
		name   string
		result reconcile.Result
	}
	ready := func(name string) entry { return entry{name, reconcile.Continue} }
	waits := func(name string) entry { return entry{name, reconcile.Wait("Starting", "starts")} }
	for name, test := range map[string]struct {
		reason  string
		entries []entry
		want    string
		ready   int
	}{
		"none":      {"an empty set is ready", nil, "Continue", 0},
		"all":       {"all are ready", []entry{ready("a"), ready("b")}, "Continue", 2},
		"all later": {"who is ready may ask for another look", []entry{ready("a"), {"b", reconcile.Continue.After(time.Minute)}}, "Continue after 1m0s", 2},
		"one":       {"how many, and who is not", []entry{ready("b"), waits("a")}, "Wait(Starting: 1 of 2 ready; a: starts)", 1},
		"three":     {"as many as are named", []entry{waits("a"), waits("b"), waits("c")}, "Wait(Starting: 0 of 3 ready; a: starts; b: starts; c: starts)", 0},
		"more": {
			"and k more", []entry{waits("a"), waits("b"), waits("c"), waits("d"), ready("e"), waits("f")},
			"Wait(Starting: 1 of 6 ready; a: starts; b: starts; c: starts; and 2 more)", 1,
		},
		"stalled": {
			"what will not come by itself is told first, and is the reason",
			[]entry{waits("a"), waits("b"), waits("c"), {"z", reconcile.Wait("Lost", "is lost").Stalled()}},
			"Wait(Lost: 0 of 4 ready; z: is lost; a: starts; b: starts; and 1 more) stalled", 0,
		},
		"soonest": {
			"a request to run again is not lost",
			[]entry{waits("a"), {"b", reconcile.Wait("X", "x").After(time.Minute)}, {"c", reconcile.Continue.After(time.Second)}},
			"Wait(Starting: 1 of 3 ready; a: starts; b: x) after 1s", 1,
		},
		"halted":     {"who has halted is not ready", []entry{{"a", reconcile.Halt("Paused", "is paused")}}, "Wait(Paused: 0 of 1 ready; a: is paused)", 0},
		"no message": {"the reason has to do", []entry{{"a", reconcile.Wait("Lost", "")}}, "Wait(Lost: 0 of 1 ready; a: Lost)", 0},
	} {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				var tally reconcile.Tally
				for _, entry := range test.entries {
					tally.Add(entry.name, entry.result)
				}
				if got := tally.Result().String(); got != test.want {
					t.Fatalf("%s: %s, want %s", test.reason, got, test.want)
				}
				if tally.Ready() != test.ready || tally.Size() != len(test.entries) {
					t.Fatalf("%d of %d, want %d of %d", tally.Ready(), tally.Size(), test.ready, len(test.entries))
				}
				test.entries = slices.Clone(test.entries)
				rand.Shuffle(len(test.entries), func(i, j int) {
					test.entries[i], test.entries[j] = test.entries[j], test.entries[i]
				})
			}
		})
	}
}

func ExampleTally() {
	var members reconcile.Tally
	for name, healthy := range map[string]bool{"db-0": true, "db-1": false, "db-2": false} {
		result := reconcile.Continue
		if !healthy {
			result = reconcile.Wait("NoLeader", "has no leader")
		}
		members.Add(name, result)
	}
	fmt.Println(members.Result())
	// Output: Wait(NoLeader: 1 of 3 ready; db-1: has no leader; db-2: has no leader)
}
