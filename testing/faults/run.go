package faults

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/steptest"
	"github.com/trueup-dev/trueup/testing/steptest/memory"
	"github.com/trueup-dev/trueup/testing/steptest/operator"
)

// world is where a run takes place: a server in memory, or a real cluster.
type world interface {
	memory.Cluster
	operator.Source
	Config() *rest.Config
}

// run is one run of a scenario.
type run struct {
	sweep     *Sweep
	schedule  Schedule
	world     world
	namespace string
	subject   Subject
	transport *transport
	user      client.Client
	wait      func(time.Duration) // lets time pass
	live      *live               // the world, if it is a real cluster

	mu        sync.Mutex
	current   *operator.Operator
	violation *Violation
	requests  []steptest.Request
	kinds     []schema.GroupVersionKind
	missed    []Fault // of kinds of which the cache shows no changes
	happened  []Kind  // what went wrong
	stale     bool
	passes    [2]uint64 // the revisions as of which the last two passes began
	over      bool      // the schedule is: nothing goes wrong any more
	endless   bool
	tracing   bool
	trace     []string
}

func newRun(sweep *Sweep, schedule Schedule, world world, namespace string, wait func(time.Duration)) *run {
	r := &run{sweep: sweep, schedule: schedule, world: world, namespace: namespace, subject: sweep.New(), wait: wait}
	r.transport = &transport{run: r}
	r.user = client.NewNamespacedClient(world.As("user"), namespace)
	return r
}

// note adds a line to the story of the run.
func (r *run) note(format string, args ...any) {
	if r.tracing {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.trace = append(r.trace, fmt.Sprintf(format, args...))
	}
}

// violate notes what is wrong: the first that is.
func (r *run) violate(rule, detail string) {
	r.note("VIOLATION %s: %s", rule, detail)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.violation == nil {
		r.violation = &Violation{Rule: rule, Detail: detail, Schedule: r.schedule}
	}
}

func (r *run) operator() *operator.Operator {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

// look checks what always holds.
func (r *run) look() {
	if len(r.subject.Always) == 0 {
		return
	}
	state := r.state()
	for _, invariant := range r.subject.Always {
		if err := invariant.Holds(state); err != nil {
			r.violate(invariant.Name, err.Error())
		}
	}
}

func (r *run) state() State {
	return State{Namespace: r.namespace, scheme: r.sweep.Kinds.Scheme(), objects: r.world.All()}
}

// start starts the operator.
func (r *run) start(ctx context.Context) error {
	if err := r.live.CaughtUp(ctx); err != nil {
		return err
	}
	latest := r.world.Revision()
	from := latest
	if r.stale {
		from, r.stale = r.passes[0], false
	}
	r.note("start of the operator, whose cache shows revision %d of %d", from, latest)
	if r.current == nil {
		r.passes[1] = from // the first pass has none before it
	}
	options := operator.Options{
		Setup: r.subject.Setup, Source: r.world, Kinds: r.sweep.Kinds, From: &from,
		Config: r.transport.attach(r.world.Config()),
		Logged: r.logged,
	}
	if r.live == nil {
		options.Turn = steptest.Turn
	}
	started, err := operator.Start(ctx, options)
	if err != nil {
		return fmt.Errorf("start the operator: %w", err)
	}
	r.mu.Lock()
	r.current = started
	r.mu.Unlock()
	return nil
}

// logged hears of errors: a panic is always one.
func (r *run) logged(err error, message string) {
	if err == nil {
		return
	}
	r.note("  logged: %s: %v", message, err)
	if strings.Contains(err.Error(), "[recovered]") || strings.Contains(err.Error(), "panic") {
		r.violate("no panics", err.Error())
	}
}

// whole goes through the scenario.
func (r *run) whole(ctx context.Context) error {
	for _, object := range r.sweep.Given {
		if err := r.user.Create(ctx, object.DeepCopyObject().(client.Object)); err != nil {
			return fmt.Errorf("create what is given: %w", err)
		}
	}
	if err := r.start(ctx); err != nil {
		return err
	}
	defer func() { r.operator().Stop() }()
	for i := -1; i < len(r.sweep.Changes); i++ {
		if i >= 0 {
			change := r.sweep.Changes[i]
			r.note("change: %s", change.Name)
			if err := change.Do(ctx, r.user); err != nil {
				return fmt.Errorf("change %q: %w", change.Name, err)
			}
			r.operator().Cache().Sync()
		}
		if i+1 < len(r.sweep.Changes) && r.sweep.Changes[i+1].Early {
			if err := r.pass(ctx); err != nil {
				return err
			}
			continue
		}
		if quiet, err := r.settle(ctx); err != nil || !quiet {
			return err
		}
	}
	r.kinds = r.operator().Cache().Kinds()
	return r.rest(ctx)
}

// rest checks that an operator that is started again, with nothing to do, does
// nothing.
func (r *run) rest(ctx context.Context) error {
	before := len(r.requests)
	r.over = true
	r.operator().Stop()
	r.note("nothing is left to do; the operator is started again")
	if err := r.start(ctx); err != nil {
		return err
	}
	if quiet, err := r.settle(ctx); err != nil || !quiet {
		return err
	}
	for _, request := range r.requests[before:] {
		if request.Write() {
			r.violate("quiet when nothing is to be done", request.String())
		}
	}
	r.requests = r.requests[:before]
	return nil
}
