package reconcile

import (
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// defaultLimit is how many steps of a combinator run at the same time unless it
// is told otherwise.
const defaultLimit = 16

// crew does pieces of work, known by their index, on a bounded number of
// goroutines of which the caller's is the first. Another is only called in while
// there is something for it to do, by one that has just taken a piece, and while
// none is on its way, so that pieces that are done in no time are done by few: one
// that comes calls in the next.
type crew[T client.Object] struct {
	limit int                            // of goroutines
	do    func(run *Run[T], i int)       // does a piece
	done  func(i int, ready []int) []int // adds the pieces that may begin after it
	mu    sync.Mutex                     // guards what follows, and done
	wake  sync.Cond                      // for the caller, which waits for the others
	ready []int                          // pieces that may begin
	hands int                            // goroutines that are at work
	comes bool                           // one more was called in and is not there yet
}

// work does all pieces, beginning with those that are ready, and returns when
// they are done. One that was called in may still come then, and finds nothing.
func (c *crew[T]) work(run *Run[T], ready []int) {
	c.wake.L = &c.mu
	c.ready, c.hands = ready, 1
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		c.take(run)
		if c.hands == 1 {
			return
		}
		c.wake.Wait()
		run.ended = 0
	}
}

// take does pieces as long as there are any that may begin.
func (c *crew[T]) take(run *Run[T]) {
	defer run.apartFrom()
	for done := 0; len(c.ready) > 0; done++ {
		i := c.ready[0]
		c.ready = c.ready[1:]
		if len(c.ready) > 0 && c.hands < c.limit && !c.comes {
			next := run.derive()
			next.began, next.ended = 0, 0
			c.callIn(next)
		}
		run.nextTo(done)
		c.one(run, i)
	}
}

// callIn starts a goroutine.
func (c *crew[T]) callIn(run *Run[T]) {
	c.comes = true
	go func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		defer c.wake.Signal()
		c.comes = false
		c.hands++
		defer func() { c.hands-- }()
		c.take(run)
	}()
}

// one does a piece, with the lock released, which it takes again also if the piece
// ends the goroutine.
func (c *crew[T]) one(run *Run[T], i int) {
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		if c.done != nil {
			c.ready = c.done(i, c.ready)
			if len(c.ready) > 0 {
				c.wake.Signal()
			}
		}
	}()
	c.do(run, i)
}

// ended is what came of one of several steps.
type ended struct {
	result Result
	err    error
	there  bool // it has come
}
