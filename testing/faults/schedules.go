package faults

import (
	"math/rand/v2"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/trueup-dev/trueup/testing/steptest"
)

// singles returns a schedule for everything that can go wrong at each request.
func singles(requests []steptest.Request, kinds []schema.GroupVersionKind) []Schedule {
	var schedules []Schedule
	for i, request := range requests {
		for _, kind := range ofRequests {
			if kind == Conflict && !request.Write() {
				continue
			}
			schedules = append(schedules, Schedule{{At: i + 1, Kind: kind}})
		}
		for _, gvk := range kinds {
			schedules = append(schedules,
				Schedule{{At: i + 1, Kind: Behind, Of: gvk, Changes: 1}},
				Schedule{{At: i + 1, Kind: Behind, Of: gvk, Changes: 2}},
				Schedule{{At: i + 1, Kind: Coalesced, Of: gvk}},
				Schedule{{At: i + 1, Kind: Unseen, Of: gvk}})
		}
	}
	return schedules
}

// sample draws some of the items, in their order; all if count is 0.
func sample[E any](items []E, count int, seed uint64) []E {
	if count <= 0 || count >= len(items) {
		return items
	}
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // it has to be the same each time
	drawn := random.Perm(len(items))[:count]
	slices.Sort(drawn)
	kept := make([]E, count)
	for i, at := range drawn {
		kept[i] = items[at]
	}
	return kept
}

// sampleOfEach draws some of the schedules of one fault, in their order, as evenly of
// each kind of fault as there are; all if count is 0.
func sampleOfEach(single []Schedule, count int, seed uint64) []Schedule {
	if count <= 0 || count >= len(single) {
		return single
	}
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // it has to be the same each time
	drawn, of, rank := random.Perm(len(single)), map[Kind]int{}, make([]int, len(single))
	for _, at := range drawn {
		kind := single[at][0].Kind
		rank[at] = of[kind]
		of[kind]++
	}
	slices.SortStableFunc(drawn, func(a, b int) int { return rank[a] - rank[b] })
	drawn = drawn[:count]
	slices.Sort(drawn)
	kept := make([]Schedule, count)
	for i, at := range drawn {
		kept[i] = single[at]
	}
	return kept
}

// near is how far apart the two faults of a pair are, at most: those that are far
// apart are two single ones.
const near = 6

// pairs draws schedules of two faults, without repeating one.
func pairs(single []Schedule, count int, seed uint64) []Schedule {
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // it has to be the same each time
	drawn := map[string]bool{}
	var schedules []Schedule
	for tries := 0; len(schedules) < count && tries < 20*count; tries++ {
		first := single[random.IntN(len(single))][0]
		second := single[random.IntN(len(single))][0]
		second.At = first.At + random.IntN(near)
		schedule := Schedule{first, second}
		if first == second || drawn[schedule.String()] {
			continue
		}
		drawn[schedule.String()] = true
		schedules = append(schedules, schedule)
	}
	return schedules
}
