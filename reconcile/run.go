package reconcile

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Run is one pass over one object: what a step may look at and work with.
// It lives for the pass only; do not keep it.
//
// Steps that run one after the other share it freely. Steps that run at the
// same time may use everything but the object's fields, which they may only
// read.
type Run[T client.Object] struct {
	*pass[T]
	env     *Environment
	memory  *objectMemory
	values  *slots
	reports *reports
	step    int           // place in the roster of the last one that was performed
	item    string        // of a [ForEach]
	prefix  string        // of names, for the item
	at      *meter        // of the step that is running, nil between steps
	began   time.Duration // when the step that is next begins, if that is known
	ended   time.Duration // when the last one ended, if nothing has come after it
	phase   phase
	// retired says that what is undone is not wanted any more.
	retired bool
}

// pass is what all runs of one pass share: that which a pipeline begins, and
// those that are derived from it for steps that run at the same time.
type pass[T client.Object] struct {
	home       *Run[T] // of the object itself, and where it is
	pipeline   string
	around     *Pipeline[T] // nil if the steps are run by hand
	mu         sync.RWMutex // guards object and original while steps run
	object     T
	original   T
	annotating chan struct{} // full while annotations are written; nil until some are
	// verbose says that somebody reads what is logged at V(1).
	verbose bool
	// byHand says that there is no pipeline around the steps.
	byHand bool
	// room is for what the first steps are found to be.
	room    [16]atomic.Int32
	misread misreads
	loans   *loans // nil unless somebody wants to know
	// overtaken says that somebody else wrote to the object after the steps ran.
	overtaken bool
}

// phase is what part of a pass is going on.
type phase int

const (
	working   phase = iota // steps do their work
	reporting              // reporting steps compute the status
	withheld               // steps wait for another; only what is not wanted any more goes
)

func newRun[T client.Object](env *Environment, name string, object, original T) *Run[T] {
	start := &struct { // one allocation for all that a pass starts with
		run     Run[T]
		pass    pass[T]
		values  slots
		room    [4]slot // for the first of the values
		reports reports
	}{}
	start.values.entries = start.room[:0]
	start.pass.pipeline, start.pass.object, start.pass.original = name, object, original
	start.run = Run[T]{
		pass:    &start.pass,
		env:     env,
		memory:  env.Memory.of(client.ObjectKeyFromObject(object), object.GetUID()),
		values:  &start.values,
		reports: &start.reports,
	}
	start.pass.home = &start.run
	if env.Altered != nil {
		start.pass.loans = &loans{}
	}
	return &start.run
}

// derive returns a run of the same pass that can be given another phase, or to
// another goroutine.
func (r *Run[T]) derive() *Run[T] {
	derived := *r
	return &derived
}

// Object returns the working copy of the object, in a pipeline without
// managedFields, which [Run.Original] has. Steps read its spec and
// metadata; only reporting steps, such as those of package status, change its
// status, and nothing changes the rest: such a change is not written.
func (r *Run[T]) Object() T {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.object
}

// Original returns the object as it was when the pass began. It may be shared
// with the cache: it must not be changed.
func (r *Run[T]) Original() T {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.original
}

// Deleting reports whether the object is being deleted.
func (r *Run[T]) Deleting() bool { return isDeleted(r.Object()) }

func isDeleted(object client.Object) bool { return !object.GetDeletionTimestamp().IsZero() }

// Pipeline returns the name of the pipeline, or what [NewRun] was given.
func (r *Run[T]) Pipeline() string { return r.pipeline }

// Item returns the name of the item of a [ForEach] that the steps are run for, and
// "" outside of one.
func (r *Run[T]) Item() string { return r.item }

// Mark returns what tells what a step has made from what others have: the name of
// the pipeline and that of the step, with a dot between them, as in
// "myapp.Deployment", and for an item of a [ForEach] its names before that of the
// step: "myapp.shards_a.Deployment". It is a label value, and the same for as long
// as the names are.
func (r *Run[T]) Mark(step string) string { return r.pipeline + "." + r.prefix + step }

// FieldManager returns the name under which steps apply.
func (r *Run[T]) FieldManager() string { return r.env.FieldManager }

// Client returns the client to write with, and to read typed objects from the
// cache. Its writes are told in the metrics, the log and the spans, with the
// [Cause] among their options.
func (r *Run[T]) Client() client.Client { return recording[T]{r} }

// Cache returns a reader of the cache, for unstructured objects too.
func (r *Run[T]) Cache() client.Reader { return r.env.Cache }

// Peek reads an object from the cache without copying it, which makes it the
// cheapest read there is. What it fills in is the cache's own: it must not be
// changed, and nothing in it may be kept that could be.
func (r *Run[T]) Peek(ctx context.Context, key client.ObjectKey, into client.Object) error {
	err := r.env.peek(ctx, key, into)
	if err == nil && r.loans != nil {
		r.loans.peeked(into)
	}
	return err
}

// Matching returns the option that lists what an [Index] of this pipeline's
// steps has under a value.
func (r *Run[T]) Matching(index, value string) client.ListOption {
	return client.MatchingFields{indexName(r.pipeline, index): value}
}

// Live returns a reader that goes past the cache.
func (r *Run[T]) Live() client.Reader { return r.env.Live }

// Scheme returns the scheme of the client.
func (r *Run[T]) Scheme() *runtime.Scheme { return r.env.Client.Scheme() }

// Now returns the time of the environment's clock.
func (r *Run[T]) Now() time.Time { return r.env.now() }

// Reports returns what the pass has found so far, a report for each step in
// pipeline order. Steps that the pass did not reach are Unseen; outside a
// pipeline they are missing. The slice is the caller's.
func (r *Run[T]) Reports() []Report { return r.reports.list() }

// report lets the reporting steps in a child speak and returns what came of it.
func (r *Run[T]) report(ctx context.Context, c *child[T]) (Result, error) {
	before := r.phase
	r.phase = reporting
	defer func() { r.phase = before }()
	var join Join
	join.Add(r.reconcile(ctx, c))
	join.Add(r.reports.takeApart())
	return join.Outcome()
}

func (r *Run[T]) passValues() *slots { return r.values }
func (r *Run[T]) passMemory() *slots { return &r.memory.slots }
