package status

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
)

// plan is which conditions a summary keeps, and which it takes into account.
type plan struct {
	ready    string // the type of the condition that sums up
	included []included
	retired  []string
}

// included is an author's condition that takes part in the summary.
type included struct {
	name     string
	negative bool
}

// partial reports whether the summary speaks for a part of the object only.
func (p *plan) partial() bool { return p.ready != ReadyCondition }

// types returns the types of all conditions that no step may have.
func (p *plan) types() []string {
	types := []string{p.ready}
	for _, own := range p.included {
		types = append(types, own.name)
	}
	return append(types, p.retired...)
}

// faults returns what is wrong with the plan.
func (p *plan) faults() error {
	var faults []error
	types := p.types()
	for i, name := range types {
		for _, problem := range validation.IsQualifiedName(name) {
			faults = append(faults, fmt.Errorf("condition type %q: %s", name, problem))
		}
		if slices.Contains(types[:i], name) {
			faults = append(faults, fmt.Errorf("condition type %q is declared twice", name))
		}
		if name == ReconcilingCondition || name == StalledCondition {
			faults = append(faults, fmt.Errorf("condition type %q is one that the summary keeps by itself", name))
		}
	}
	return errors.Join(faults...)
}

// Including makes conditions that are the author's own, or somebody else's, take
// part in the summary: they are good when they are True, as most are. One that is
// False makes Ready False, one that is Unknown or missing makes it Unknown, with
// its own reason and message, after those of the steps. They stay as they are.
//
// One that says that it is about an older generation counts as Unknown. One
// without an observedGeneration counts as it is: its writer does not tell.
//
// A [Func] of the same pipeline that sets the condition must stand before the
// summary. Somebody else's write wakes the pipeline, as any change of the object
// does.
func (s *Summary[T]) Including(types ...string) *Summary[T] {
	for _, name := range types {
		s.plan.included = append(s.plan.included, included{name: name})
	}
	return s
}

// Negative is as [Summary.Including] for conditions that are bad when they are
// True, such as Degraded or DiskPressure. One that is missing is good.
func (s *Summary[T]) Negative(types ...string) *Summary[T] {
	for _, name := range types {
		s.plan.included = append(s.plan.included, included{name: name, negative: true})
	}
	return s
}

// As gives the condition that sums up another type than Ready, so that several
// pipelines can keep conditions in one object without a fight:
//
//	reconcile.NewPipeline("database", …, status.Summarize(conditions).As("DatabaseReady"))
//	reconcile.NewPipeline("myapp", …, status.Summarize(conditions).Including("DatabaseReady"))
//
// Such a summary speaks for its pipeline alone and leaves what speaks for the
// object, that is Reconciling, Stalled and Status.ObservedGeneration, to the one
// that keeps Ready, which includes it. The steps of the pipelines need different
// names, because their conditions are named after them.
func (s *Summary[T]) As(conditionType string) *Summary[T] {
	s.plan.ready = conditionType
	return s
}

// Retiring names conditions that an earlier version of the operator kept, such as
// that of a step that has another name now. They are removed: nobody else would,
// and they would tell of the past for ever.
func (s *Summary[T]) Retiring(types ...string) *Summary[T] {
	s.plan.retired = append(s.plan.retired, types...)
	return s
}
