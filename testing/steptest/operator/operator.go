package operator

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// Options say what to run.
type Options struct {
	// Setup adds the controllers to a manager, at least one. Required.
	Setup func(ctrl.Manager) error
	// Source is where the cache hears of objects. Required. A [memory.Server] is one.
	Source Source
	// Config is how requests are sent: each goes to its transport. Required. It must
	// set no rate limit, or the passes take as long as they would.
	Config *rest.Config
	// Kinds are what is served. Required.
	Kinds *memory.Kinds
	// From is the revision of the source that the cache begins with, so that it
	// begins behind; 0 is before the first change. Defaults to the latest.
	From *uint64
	// Recorder takes the events that are told about objects. Defaults to none.
	Recorder events.EventRecorder
	// Turn names requests, so that they take turns: what is sent at the same time, by
	// steps that run at the same time, is sent one after the other, in the order of these
	// names, each when all that the one before led to has been done or waits itself. What
	// it names "" is sent at once. It is for bubbles of testing/synctest only, whose coming
	// to rest is what shows that. A lock that is held while a request is sent must not be
	// waited for in another goroutine meanwhile. Defaults to nothing: all is sent at once.
	Turn func(*http.Request) string
	// Logged is told the errors that are logged, which those of passes are. Defaults to none.
	Logged func(err error, message string)
}

// An Operator is a running process of an operator. Make one with [Start], and end it
// with [Operator.Stop]. Its methods are for one goroutine.
type Operator struct {
	cache   *Cache
	manager *manager
	queues  []*queue
	latest  func() // adds what the latest pass was over to its queue
	stop    context.CancelFunc
	ended   sync.WaitGroup
	crashed atomic.Bool

	mu    sync.Mutex
	fault error
}

// Start sets an operator up and starts it: its cache shows all kinds that are
// watched as of one revision, and every object is in the queue. No pass has begun.
func Start(ctx context.Context, options Options) (*Operator, error) {
	if options.Setup == nil || options.Source == nil || options.Config == nil || options.Kinds == nil {
		return nil, errors.New("operator: Setup, Source, Config and Kinds are required")
	}
	ctx, stop := context.WithCancel(ctx)
	o := &Operator{cache: newCache(options), stop: stop}
	if options.Turn != nil {
		turns := &turns{name: options.Turn, news: make(chan struct{}, 1), over: ctx.Done()}
		options.Config = turns.attach(options.Config)
		o.ended.Go(func() { turns.give(ctx) })
	}
	live, err := client.New(options.Config, client.Options{Scheme: options.Kinds.Scheme(), Mapper: options.Kinds.Mapper()})
	if err != nil {
		stop()
		return nil, err
	}
	o.manager = newManager(options, o, live)
	if err := options.Setup(o.manager); err != nil {
		stop()
		return nil, fmt.Errorf("set up: %w", err)
	}
	if len(o.queues) == 0 {
		o.Stop()
		return nil, errors.New("set up: no controller was added to the manager")
	}
	for _, added := range o.manager.added {
		o.ended.Go(func() {
			if err := added.Start(ctx); err != nil && ctx.Err() == nil {
				o.mu.Lock()
				defer o.mu.Unlock()
				o.fault = errors.Join(o.fault, err)
			}
		})
	}
	if err := o.started(ctx); err != nil {
		o.Stop()
		return nil, err
	}
	return o, nil
}

// started waits until all controllers take work.
func (o *Operator) started(ctx context.Context) error {
	for _, queue := range o.queues {
		select {
		case <-queue.open:
		case <-ctx.Done():
			return ctx.Err()
		}
		queue.settle()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.fault
}

// Cache returns the cache of the operator.
func (o *Operator) Cache() *Cache { return o.cache }

// Waiting returns the number of objects that a pass is to be made over now.
func (o *Operator) Waiting() int {
	count := 0
	for _, queue := range o.queues {
		count += queue.Len()
	}
	return count
}

// Pass makes one pass, over the object that has waited the longest. It reports
// whether there was one.
func (o *Operator) Pass() (ctrl.Request, bool) {
	for _, queue := range o.queues {
		if request, ok := queue.pass(); ok {
			o.latest = func() { queue.Add(request) }
			return request, true
		}
	}
	return ctrl.Request{}, false
}

// Again puts the object that the latest pass was over into its queue, as if it had been
// woken. Without a pass there is nothing to put.
func (o *Operator) Again() {
	if o.latest != nil {
		o.latest()
	}
}

// Later returns how long it is until the next pass that was asked for later, by a
// requeue or after an error, and false if there is none.
func (o *Operator) Later() (time.Duration, bool) {
	soonest, found := time.Duration(0), false
	for _, queue := range o.queues {
		if wait, ok := queue.later(); ok && (!found || wait < soonest) {
			soonest, found = wait, true
		}
	}
	return soonest, found
}

// Retrying reports whether an object waits to be retried after an error.
func (o *Operator) Retrying() bool {
	for _, queue := range o.queues {
		if queue.retrying() {
			return true
		}
	}
	return false
}

// Hurry puts what waits for the next time that a pass was asked for into the queue,
// as if the time had come.
func (o *Operator) Hurry() {
	for _, queue := range o.queues {
		queue.hurry()
	}
}

// Crash ends the process within a request: the pass that sent it goes no further, and
// nothing that is sent by what is left of it is sent. It is for the transport of
// [Options.Config], in the goroutine that sends, and does not return. Call
// [Operator.Stop] when the pass is over.
func (o *Operator) Crash() {
	o.crashed.Store(true)
	runtime.Goexit()
}

// Crashed reports whether the process has ended by itself.
func (o *Operator) Crashed() bool { return o.crashed.Load() }

// Stop ends the process and waits until nothing is left of it.
func (o *Operator) Stop() {
	o.stop()
	o.ended.Wait()
}
