package proxy_test

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/trueup-dev/trueup/testing/cluster/proxy"
)

func plain(request *http.Request) bool { return !proxy.Watch(request) }

func write(request *http.Request) bool { return request.Method != http.MethodGet }

// counted counts how often there is trouble.
func counted(count *atomic.Int64, decide func(*http.Request) proxy.Trouble) func(*http.Request) proxy.Trouble {
	return func(request *http.Request) proxy.Trouble {
		trouble := decide(request)
		if trouble != (proxy.Trouble{}) {
			count.Add(1)
		}
		return trouble
	}
}

// While single requests go wrong, an app is made, changed and deleted as ever.
func TestTroubleWithRequests(t *testing.T) {
	cases := map[string]struct {
		reason string
		decide func(*http.Request) proxy.Trouble
	}{
		"latency":   {"a slow server makes an operator slow, and nothing else", proxy.Every(1, proxy.Trouble{Delay: 150 * time.Millisecond}, plain)},
		"resets":    {"a request that did not get there is sent again", proxy.Every(2, proxy.Trouble{Reset: true}, write)},
		"lost":      {"a write that was done and not answered is not done twice", proxy.Every(2, proxy.Trouble{Lose: true}, write)},
		"throttled": {"what is told to come again later does", proxy.Every(2, proxy.Trouble{Throttle: time.Second}, write)},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, count := newWorld(t), atomic.Int64{}
			operator := w.start(false)
			operator.Disturb(counted(&count, test.decide))
			if err := w.user.Create(w.ctx, w.app()); err != nil {
				t.Fatal(err)
			}
			w.awaitReady(1)
			w.change(2)
			w.awaitReady(2)
			w.quiet(operator)
			w.end()
			if count.Load() == 0 {
				t.Errorf("%s: there was no trouble", test.reason)
			}
		})
	}
}

// What happens while the API server cannot be reached is made good afterwards.
func TestTroubleWithConnections(t *testing.T) {
	cases := map[string]struct {
		reason string
		during func(w *world, operator *replica)
	}{
		"cut": {"connections are made again", func(w *world, operator *replica) {
			operator.Cut()
			w.change(2)
		}},
		"watches dropped": {"what a watch did not tell is listed", func(w *world, operator *replica) {
			operator.Disturb(proxy.Every(1, proxy.Trouble{Reset: true}, proxy.Watch))
			if operator.DropWatches() == 0 {
				w.Error("there were no watches")
			}
			w.change(2)
			operator.Disturb(nil)
		}},
		"away": {"an API server that was away is found again", func(w *world, operator *replica) {
			operator.Down()
			w.change(2)
			w.await("the operator is turned away", func() error {
				if operator.Turned() == 0 {
					return errors.New("it did not come")
				}
				return nil
			})
			operator.Up()
		}},
		"certificate": {"another serving certificate of the same authority is as good", func(w *world, operator *replica) {
			if err := operator.Rotate(); err != nil {
				w.Fatal(err)
			}
			w.change(2)
		}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			operator := w.start(false)
			if err := w.user.Create(w.ctx, w.app()); err != nil {
				t.Fatal(err)
			}
			w.awaitReady(1)
			test.during(w, operator)
			t.Log(test.reason)
			w.awaitReady(2)
			w.quiet(operator)
			w.end()
		})
	}
}

// A leader that loses its way to the API server ends, and the other replica takes over.
func TestTroubleWithTheLeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	leader := w.start(true)
	<-leader.elected
	other := w.start(true)
	if err := w.user.Create(w.ctx, w.app()); err != nil {
		t.Fatal(err)
	}
	w.awaitReady(1)
	leader.Down()
	w.change(2)
	if err := <-leader.ended; err == nil {
		t.Error("the leader ended without an error")
	}
	leader.Up()
	w.awaitReady(2)
	select {
	case <-other.elected:
	default:
		t.Error("it is not the other that has done it")
	}
	w.quiet(other)
	w.end()
}
