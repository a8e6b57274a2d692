package operator

import (
	"sync"
	"time"
)

// patience is how long no request may have its turn while one waits. Between two there
// is nothing but what steps compute.
const patience = 2 * time.Minute

// watched are the turns that are given, each with how far they were when they were
// looked at last. Who looks is outside of bubbles, where time goes by: a goroutine that
// waits for a lock keeps its bubble from coming to rest for ever, if another holds the
// lock until its request is answered.
var watched = struct {
	sync.Mutex
	turns map[*turns]int64
}{turns: map[*turns]int64{}}

var _ = time.AfterFunc(patience, look)

// register has turns looked at until what it returns is called.
func register(t *turns) func() {
	watched.Lock()
	defer watched.Unlock()
	watched.turns[t] = -1
	return func() {
		watched.Lock()
		defer watched.Unlock()
		delete(watched.turns, t)
	}
}

func look() {
	if areStuck() {
		panic("operator: a request has waited " + patience.String() + " for its turn, because a goroutine is not at rest: " +
			"mostly it waits for a lock that is held while the request is sent; " +
			"requests take turns, so hold no lock meanwhile, or make it a channel")
	}
	time.AfterFunc(patience, look)
}

// areStuck reports whether a request waits, and has since the last time this was asked
// without another one having had its turn.
func areStuck() bool {
	watched.Lock()
	defer watched.Unlock()
	stuck := false
	for turns, before := range watched.turns {
		now := turns.stuck()
		stuck = stuck || now >= 0 && now == before
		watched.turns[turns] = now
	}
	return stuck
}
