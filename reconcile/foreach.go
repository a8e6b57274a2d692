package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Each is a step that runs others for each of several items. Make one with
// [ForEach].
type Each[T client.Object] struct {
	name     string
	items    func(T) []string
	body     child[T]
	self     child[T] // which the step reports as
	limit    int
	err      error
	memories *Memo[map[string]*objectMemory]
	values   *Value[map[string]*slots]
}

// ForEach runs steps, as a [Sequence], for each of the items of an object, and
// undoes them for each item that went:
//
//	config := resources.EnsureFrom(desiredConfig) // for the item that [Run.Item] names
//	shards := reconcile.ForEach("shards", (*MyApp).ShardNames, config, deployment)
//
// items returns the names of the items, in any order. A name is the identity of
// its item: it has to stay the same as long as the item is meant to be the same,
// and must be a DNS label, such that [Run.Mark] is no longer than 63 characters.
// items must depend on nothing but the object, which it may not change. A name that
// is no good, or is there twice, is a terminal error, and nothing is run or undone
// then.
//
// A pass goes in this order:
//
//  1. Names that are new are added to a record on the object, before anything is
//     done for them.
//  2. The steps run for every item, and are undone, as [When] undoes them, for
//     those in the record that are not wanted any more. Different items have
//     nothing to do with each other and are worked on at the same time; one that
//     fails or waits holds up no other.
//  3. Those that are undone are taken out of the record.
//
// The record is the annotation items.trueup.dev/<pipeline>.<name>, a JSON list of
// names, written with [Run.Annotate]. It is what makes a teardown certain: what
// went is found however often the operator was restarted, or crashed between any
// two requests, whatever the steps do and whether they can list what they made or
// not. It is written twice in the life of an item and never in a pass in which the
// items stay the same. A record that nobody can read is a terminal error that names
// it. One that somebody has removed is made again of the items that there are:
// those that went in the meantime are forgotten, and what they have made is left
// to the garbage collector.
//
// Everything of the steps is kept apart by item: what their handles observe, see
// [Each.Of], what they remember, and the mark on what they make, see [Run.Mark].
// What steps before ForEach have set can be read in all items. The step has one
// report and one condition for all items together, as [Tally] words it; an error
// has the item's name in front.
//
// Finalizers of the steps are put on objects that have items. On deletion the
// steps are undone for all items at the same time. While it is held up in a
// [Graph], items that went are undone nevertheless.
//
// A ForEach, steps that report, and those that need annotations of their own, see
// [Description], cannot be run for each item, and are refused at setup. It needs a pipeline: outside of one it is an
// error as soon as there are items. To do away with a ForEach, let items return
// nothing for as long as there may be objects with a record.
func ForEach[T client.Object](name string, items func(T) []string, steps ...Step[T]) *Each[T] {
	e := &Each[T]{
		name: name, items: items, body: newBody(steps), limit: defaultLimit,
		memories: NewMemo[map[string]*objectMemory](), values: NewValue[map[string]*slots](),
	}
	if items == nil {
		e.err = errors.New("the function that names the items is nil")
	}
	e.self.about = e.describeItems()
	return e
}

// Limit sets how many items are worked on at the same time. Defaults to 16.
func (e *Each[T]) Limit(n int) *Each[T] {
	if n < 1 {
		e.err = errors.Join(e.err, fmt.Errorf("Limit: %d is less than 1", n))
		n = 1
	}
	e.limit = n
	return e
}

// Of returns the run through which handles of the steps tell what they observed
// for an item in this pass:
//
//	for _, name := range app.ShardNames() {
//		if d, ok := deployment.Observed(shards.Of(run, name)); ok {
//			…
//		}
//	}
//
// It is for reading. Of an item that the pass has not come to, they say that there
// is nothing.
func (e *Each[T]) Of(run *Run[T], item string) *Run[T] {
	within := run.within(e.name, item)
	within.values = &slots{}
	if all, ok := e.values.Get(run); ok && all[item] != nil {
		within.values = all[item]
	}
	return within
}

// Describe implements [Step].
func (e *Each[T]) Describe() Description {
	return Description{Name: e.name, Kind: "ForEach", Err: e.err, Steps: []Description{e.self.about}}
}

// Reconcile implements [Step].
func (e *Each[T]) Reconcile(ctx context.Context, run *Run[T]) (Result, error) {
	if run.phase == reporting {
		return Continue, nil
	}
	wanted, err := e.named(ctx, run.Object())
	if err != nil {
		return run.finish(&e.self, Result{}, err)
	}
	if err := e.marks(run, wanted); err != nil {
		return run.finish(&e.self, Result{}, err)
	}
	recorded, err := e.recorded(run)
	if err != nil {
		return run.finish(&e.self, Result{}, err)
	}
	went := slices.DeleteFunc(slices.Clone(recorded), func(item string) bool { return slices.Contains(wanted, item) })
	if run.phase == withheld {
		if len(went) == 0 {
			return Continue, nil
		}
		wanted = nil // they wait, and stay in the record
	} else if err := e.record(ctx, run, union(recorded, wanted)); err != nil {
		return run.finish(&e.self, Result{}, err)
	}
	ended := e.work(run, slices.Concat(went, wanted), func(run *Run[T], i int) (Result, error) {
		if i < len(went) {
			return run.retire(ctx, &e.body)
		}
		return run.reconcile(ctx, &e.body)
	})
	result, err := e.settle(ctx, run, ended, went)
	if run.phase == withheld && err == nil && result == Continue {
		return Continue, nil // and no report: there is nothing to be said of the others
	}
	return run.finish(&e.self, result, err)
}

// Finalize implements [Step]: the steps are undone for every item that there is,
// or is a record of.
func (e *Each[T]) Finalize(ctx context.Context, run *Run[T]) (Result, error) {
	recorded, err := e.recorded(run)
	if err != nil {
		return run.finish(&e.self, Result{}, err)
	}
	items := recorded
	if wanted, err := e.named(ctx, run.Object()); err == nil { // the record has all that anything was done for
		items = union(recorded, wanted)
	}
	ended := e.work(run, items, func(run *Run[T], _ int) (Result, error) { return run.finalize(ctx, &e.body) })
	if run.Deleting() {
		recorded = nil // the record goes with the object
	}
	result, err := e.settle(ctx, run, ended, recorded)
	return run.finish(&e.self, result, err)
}

// settle joins what came of the items, of which the first are those that went,
// and takes those that are undone out of the record.
func (e *Each[T]) settle(ctx context.Context, run *Run[T], all []itemEnd, went []string) (Result, error) {
	gone := make([]string, 0, len(went))
	for i, item := range went {
		if all[i].passed() {
			gone = append(gone, item)
		}
	}
	var join Join
	join.Add(joinItems(all))
	join.Add(Continue, e.forget(ctx, run, gone))
	return join.Outcome()
}
