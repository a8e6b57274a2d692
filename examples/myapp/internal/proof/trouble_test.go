package proof_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/cluster/proxy"
)

// trouble is what goes wrong in the life of an app, and how a test knows that it did.
type trouble struct {
	reason string
	// before is called before the app is there, and during before it is changed.
	before, during func(w *world, operator *replica)
	// happened returns how often it went wrong.
	happened func(w *world, seen proxy.Tally) int
	// lease has the operator run with a lease, so that another can take over. Without,
	// it outlives whatever keeps it from the API server.
	lease bool
}

func plain(request *http.Request) bool { return !proxy.Watch(request) }

func write(request *http.Request) bool { return request.Method != http.MethodGet }

// every lets trouble come to every nth of the requests.
func every(n int, trouble proxy.Trouble, match func(*http.Request) bool) func(*world, *replica) {
	return func(_ *world, operator *replica) { operator.Disturb(proxy.Every(n, trouble, match)) }
}

var troubles = map[string]trouble{
	"latency": {
		reason:   "a slow server makes an operator slow, and nothing else",
		before:   every(1, proxy.Trouble{Delay: 100 * time.Millisecond}, plain),
		happened: func(_ *world, seen proxy.Tally) int { return seen.Delayed },
	},
	"resets": {
		reason:   "a request that did not get there is sent again",
		before:   every(2, proxy.Trouble{Reset: true}, write),
		happened: func(_ *world, seen proxy.Tally) int { return seen.Reset },
	},
	"lost answers": {
		reason:   "a write that was done and not answered is not done twice",
		before:   every(2, proxy.Trouble{Lose: true}, write),
		happened: func(_ *world, seen proxy.Tally) int { return seen.Lost },
	},
	"429 with Retry-After": {
		reason:   "what is told to come again later does",
		before:   every(3, proxy.Trouble{Throttle: time.Second}, write),
		happened: func(_ *world, seen proxy.Tally) int { return seen.Throttled },
	},
	"connections cut": {
		reason:   "connections are made again",
		during:   func(_ *world, operator *replica) { operator.Cut() },
		happened: func(_ *world, seen proxy.Tally) int { return seen.Cut },
	},
	"watches dropped": {
		reason: "what a watch did not tell is listed",
		during: func(w *world, operator *replica) {
			operator.Disturb(proxy.Every(1, proxy.Trouble{Reset: true}, proxy.Watch))
			operator.DropWatches()
			w.change(2)
			w.await("new watches are turned away", func() error {
				if operator.Tally().Reset == 0 {
					return errNoMore
				}
				return nil
			})
			operator.Disturb(nil)
		},
		happened: func(_ *world, seen proxy.Tally) int { return min(seen.Dropped, seen.Reset) },
	},
	"no way to the API server": {
		reason: "an API server that was away is found again",
		during: func(w *world, operator *replica) {
			operator.Down()
			w.change(2)
			w.awaitMore("the operator is turned away", func() int { return operator.Tally().Turned })
			operator.Up()
		},
		happened: func(_ *world, seen proxy.Tally) int { return seen.Turned },
	},
	"certificate rotated": {
		reason:   "another serving certificate of the same authority is as good",
		during:   func(w *world, operator *replica) { w.must(operator.Rotate()) },
		happened: func(_ *world, seen proxy.Tally) int { return seen.Renewed },
	},
	"leader lost": {
		reason:   "a leader that loses its way ends, and the other replica takes over",
		during:   loseLeader,
		happened: func(w *world, _ proxy.Tally) int { return w.handed },
		lease:    true,
	},
}

// restarted is the trouble that comes to all that have to do with the API server.
var restarted = trouble{
	reason: "an API server that is started again is found again",
	during: func(w *world, operator *replica) {
		w.must(cluster.Shared(w.T).RestartAPIServer(w.ctx, func() {
			w.awaitMore("the operator finds nobody", func() int { return operator.Tally().Unanswered })
		}))
	},
	happened: func(_ *world, seen proxy.Tally) int { return seen.Unanswered },
}

// loseLeader takes the way to the API server from the leader while the app is changed.
func loseLeader(w *world, leader *replica) {
	other := w.start(true)
	leader.Down()
	w.change(2)
	select {
	case err := <-leader.ended:
		if err == nil {
			w.Error("the leader ended without an error")
		}
	case <-w.ctx.Done():
		w.Fatal("the leader that lost its way goes on")
	}
	select {
	case <-other.elected:
		w.handed++
	case <-w.ctx.Done():
		w.Fatal("nobody takes over")
	}
	leader.Up()
	*leader = *other
}

// Whatever happens between the operator and the API server, a MyApp is made, changed and
// deleted, and what there is is exactly what there is undisturbed.
func TestMyAppThroughTheProxy(t *testing.T) {
	calm := newWorld(t)
	want, seen := calm.live(trouble{})
	through := func(t *testing.T, trouble trouble) {
		t.Helper()
		if count := trouble.happened(calm, seen); count != 0 {
			t.Errorf("the trouble came %d times to the undisturbed life", count)
		}
		w := newWorld(t)
		got, seen := w.live(trouble)
		if trouble.happened(w, seen) == 0 {
			t.Errorf("there was no trouble: %+v", seen)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: what is there in the end (-undisturbed +disturbed):\n%s", trouble.reason, diff)
		}
	}
	t.Run("API server restarted", func(t *testing.T) { through(t, restarted) }) // the others need it
	for name, trouble := range troubles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			through(t, trouble)
		})
	}
}

// awaitMore waits until there is more than there was.
func (w *world) awaitMore(what string, count func() int) {
	w.Helper()
	before := count()
	w.await(what, func() error {
		if now := count(); now <= before {
			return fmt.Errorf("%w: %d", errNoMore, now)
		}
		return nil
	})
}

var errNoMore = errors.New("no more than before")
