package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// named returns the names of the items of an object, sorted. That the author's
// function panics is an error, so that the step reports it.
func (e *Each[T]) named(ctx context.Context, object T) (names []string, err error) {
	defer func() { tellPanic(ctx, e.name, err) }()
	defer Recover(&err)
	names = slices.Sorted(slices.Values(e.items(object)))
	for i, name := range names {
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
			return nil, badItem("the item %q: %s", name, problems[0])
		}
		if i > 0 && names[i-1] == name {
			return nil, badItem("the item %q is there twice", name)
		}
	}
	return names, nil
}

func badItem(format string, args ...any) error {
	return WithReason("InvalidItem", Terminal(fmt.Errorf(format, args...)))
}

// marks checks that what the steps make for items can be marked: before any of them
// is recorded, because what cannot be marked cannot be found again.
func (e *Each[T]) marks(run *Run[T], items []string) (err error) {
	for _, item := range items {
		e.body.about.Walk(func(about Description) {
			mark := run.Mark(e.name + "_" + item + "." + about.Name)
			if about.leaf() && err == nil && len(mark) > validation.LabelValueMaxLength {
				err = badItem("the item %q: with the names of the pipeline and the steps it marks children as %q, which has more than %d characters",
					item, mark, validation.LabelValueMaxLength)
			}
		})
	}
	return err
}

// within returns a run of the same pass for an item.
func (r *Run[T]) within(each, item string) *Run[T] {
	derived := r.derive()
	derived.item = item
	derived.prefix += each + "_" + item + "."
	return derived
}

// itemEnd is what came of an item.
type itemEnd struct {
	ended
	item string
}

// work calls method for every item, with a run of its own.
func (e *Each[T]) work(run *Run[T], items []string, method func(run *Run[T], i int) (Result, error)) []itemEnd {
	ends := make([]itemEnd, len(items))
	ready := make([]int, len(items))
	runs := e.runs(run, items)
	for i, item := range items {
		ready[i], ends[i].item = i, item
	}
	crew := crew[T]{limit: e.limit, do: func(_ *Run[T], i int) {
		end := &ends[i]
		end.result, end.err = method(runs[i], i)
		end.there = true
	}}
	crew.work(run, ready)
	return ends
}

// runs returns a run for each item, in which everything is kept apart that the
// steps keep: what they observe, what they remember, and their reports.
func (e *Each[T]) runs(run *Run[T], items []string) []*Run[T] {
	before, _ := e.memories.Get(run)
	memories := make(map[string]*objectMemory, len(items)) // without those that are no more
	values := make(map[string]*slots, len(items))
	runs := make([]*Run[T], len(items))
	for i, item := range items {
		within := run.within(e.name, item)
		if within.memory = before[item]; within.memory == nil {
			within.memory = &objectMemory{uid: run.memory.uid}
		}
		within.values, within.reports = &slots{outer: run.values}, &reports{}
		memories[item], values[item], runs[i] = within.memory, within.values, within
	}
	if len(items)+len(before) > 0 {
		e.memories.Set(run, memories)
		e.values.Set(run, values)
	}
	return runs
}

// joinItems joins the outcomes of items: errors with the name of the item, what
// else holds back in the words of a [Tally].
func joinItems(ends []itemEnd) (Result, error) {
	var join Join
	var tally Tally
	for i := range ends {
		result, err := ends[i].result, ends[i].err
		if !ends[i].there {
			err = errors.New("a step ended its goroutine instead of returning")
		}
		if err == nil {
			tally.Add(ends[i].item, result)
			join.Add(result, nil)
			continue
		}
		result = Continue.After(soonest(result.after, afterOf(err)))
		for _, err := range apart(err) {
			join.Add(result, fmt.Errorf("%s: %w", ends[i].item, err))
		}
	}
	result, err := join.Outcome()
	if err == nil && result.outcome == Waiting {
		return tally.Result(), nil
	}
	return result, err
}

// apart returns the errors of a pass that are in one.
func apart(err error) []error {
	//nolint:errorlint // a join that an author wrapped stays one error
	if joined, ok := err.(*joinedError); ok {
		return joined.errs
	}
	return []error{err}
}

// describeItems returns what the steps say of themselves as one that has a report
// for all items.
func (e *Each[T]) describeItems() Description {
	self := Description{Name: e.name, Kind: "items", Condition: ConditionType(e.name), Annotates: true, Items: &e.body.about}
	names := map[string]bool{}
	var guards []Description
	e.body.about.Walk(func(about Description) {
		e.err = errors.Join(e.err, e.suits(about, names))
		self.Reserved = append(self.Reserved, about.Reserved...)
		self.Finalizers = append(self.Finalizers, about.Finalizers...)
		self.FormerFinalizers = append(self.FormerFinalizers, about.FormerFinalizers...)
		self.FormerNames = append(self.FormerNames, about.FormerNames...)
		self.Owns = append(self.Owns, about.Owns...)
		self.Watches = append(self.Watches, about.Watches...)
		self.Indexes = append(self.Indexes, about.Indexes...)
		self.Access = append(self.Access, about.Access...)
		if len(about.Finalizers) > 0 {
			guards = append(guards, about)
		}
	})
	if len(guards) > 0 {
		self.FinalizersWhen = func(object client.Object) bool {
			return e.concerns(object) && slices.ContainsFunc(guards, func(guard Description) bool {
				return guard.FinalizersWhen == nil || guard.FinalizersWhen(object)
			})
		}
	}
	return self
}

// suits checks that a step can be run for each item.
func (e *Each[T]) suits(about Description, names map[string]bool) error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("step %q: "+format, append([]any{about.Name}, args...)...))
	}
	if about.Err != nil {
		fault("%w", about.Err)
	}
	if about.Reporting {
		fault("a step that reports cannot be run for each item")
	}
	if about.Annotations != nil {
		fault("a step that needs annotations cannot be run for each item")
	}
	if about.Kind == "ForEach" {
		fault("items of items are not told apart: let the outer ForEach have one for each pair")
	}
	if about.leaf() {
		if names[about.Name] || about.Name == "" {
			fault("the name is empty, or taken by another step for each item")
		}
		names[about.Name] = true
	}
	return errors.Join(faults...)
}

// itemNames checks that no step is named as if it were one for an item.
func (c *checker) itemNames(about Description) {
	if about.Kind != "ForEach" {
		return
	}
	for name := range c.names {
		if strings.HasPrefix(name, about.Name+"_") {
			c.fault("step %q: a name that begins with %s_ is that of a step for an item", name, about.Name)
		}
	}
}
