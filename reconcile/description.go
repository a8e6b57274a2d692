package reconcile

import (
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// A Description is what a [Step] says of itself before any object exists.
// Watches, indexes and finalizers are derived from it, and so is everything
// that a pipeline can say of itself.
//
// The objects in it are prototypes: only their type, or for unstructured ones
// their apiVersion and kind, counts.
type Description struct {
	// Name tells the step from the others of a pipeline: in reports, logs, events
	// and error messages. Required, and unique within a pipeline for steps that
	// have no child steps.
	Name string

	// Kind is the sort of step, for people: "resources.Ensure", "Sequence".
	// Required.
	Kind string

	// Condition is the type of the condition that speaks for the step, such as
	// "DeploymentReady". Empty means that the step has none; it then shows in the
	// summary only when it is not ready.
	Condition string

	// Reserved lists the types of conditions that the step sets, or looks at,
	// beside Condition. No step may have one of them for its own. Defaults to none.
	Reserved []string

	// Reporting marks a step that only computes status. It runs after all others
	// whatever their outcome, wherever in the pipeline it stands, and its failure
	// neither stops anything nor keeps the status from being written.
	// Defaults to false.
	Reporting bool

	// Finalizers are put on the object, all of a pipeline's in one write, before
	// any of its steps runs, and are taken off when every step is finalized.
	// Defaults to none.
	Finalizers []string

	// FinalizersWhen says whether an object needs the finalizers. They are only
	// put on while it does; when it does not any more, they are taken off at the
	// end of a pass in which the step has returned Continue, so that the step has
	// to undo by then what they guarded. It is called in every pass and must only
	// look at the object. Defaults to always.
	FinalizersWhen func(client.Object) bool

	// FormerFinalizers are names that the finalizers had in earlier versions of
	// the operator. On an object they count as the finalizers; on one that is not
	// being deleted they are replaced, in one write. Defaults to none.
	FormerFinalizers []string

	// Annotations returns what has to be written to the metadata of an object
	// before any step runs, in one write with the finalizers, such as a token
	// that an effect is found again by; an empty value removes the annotation. It
	// is called in every pass, only while the finalizers are needed, and must only
	// look at the object. Defaults to nothing.
	Annotations func(client.Object) map[string]string

	// Annotates says that the step writes annotations of the object by itself, with
	// [Run.Annotate], so that the operator has to be allowed to. A step with a
	// finalizer need not say so. Defaults to false.
	Annotates bool

	// FormerNames are names that the step had in earlier versions of the operator,
	// by which it knows what it made then. No other step of the pipeline may have
	// one of them. Defaults to none.
	FormerNames []string

	// Owns lists the kinds that the step creates with a controller reference to
	// the object. Their events wake the owner.
	Owns []client.Object

	// Watches lists what else wakes the object.
	Watches []Watch

	// Indexes lists the cache indexes that the step reads by.
	Indexes []Index

	// Access lists what the step asks of the API server, beside what the pipeline
	// itself needs for the object.
	Access []Access

	// Steps describes the steps that this one is made of. Nil for a step that
	// does something itself; a combinator sets it, if only to an empty slice, and
	// has neither a report nor a condition of its own.
	Steps []Description

	// Items describes what a [ForEach] runs for each item. Nil of other steps.
	Items *Description

	// Before tells whether of the two of Steps with these indexes the first has
	// always run, or been passed over for good, when the second begins, so that the
	// second may read what the first observed. Defaults to the order of the list.
	Before func(first, second int) bool

	// Unwanted tells whether what the step keeps is not wanted for an object any
	// more. Such a step is undone even while it has to wait for another one, see
	// [Graph]. Nil for a step that is always wanted, and for a combinator, which
	// knows by itself.
	Unwanted func(client.Object) bool

	// Err is what is wrong with how the step was put together: it is found by a
	// constructor or an option, kept, and reported at setup with the step's name.
	Err error
}

// A Watch wakes the reconciled object for the events of another kind: the
// objects that an index has under a value of the event's object, or those that
// a handler names.
type Watch struct {
	// Object is the prototype of the watched kind. Required.
	Object client.Object

	// Index is the name of an [Index] of the reconciled kind, in which those to
	// wake are looked up, so that an event costs the same however many objects
	// there are. Required unless there is a Handler.
	Index string

	// Values computes from the event's object the values to look up.
	// Required with Index.
	Values client.IndexerFunc

	// Handler makes the handler, given a reader of the cache, once at setup.
	// It enqueues requests for the reconciled object. Required unless there is an
	// Index.
	Handler func(cache client.Reader) handler.EventHandler

	// Predicates drop events that are of no interest. Defaults to none.
	Predicates []predicate.Predicate

	// Place is where the events are, set by [In]. Defaults to where the object is.
	Place *Place
}

// An Index lets a step read a kind from the cache by a computed value instead
// of searching it. Two steps may declare the same index (same kind and name);
// it is registered once, so both must compute the same.
type Index struct {
	// Object is the prototype of the indexed kind. Required.
	Object client.Object

	// Name is what the reader passes in [client.MatchingFields]. Required.
	Name string

	// Values computes the values under which an object is found. Required.
	Values client.IndexerFunc

	// Place is where the objects are, set by [In]. Defaults to where the reconciled
	// object is.
	Place *Place
}

// Access is a set of verbs on a kind.
type Access struct {
	// Object is the prototype of the kind. Required.
	Object client.Object

	// Subresource is empty for the kind itself, or "status", "scale", ….
	Subresource string

	// Verbs are the verbs of the request as RBAC names them. Required.
	Verbs []string

	// Place is where, or as whom, it is asked, set by [In]. Defaults to where the
	// reconciled object is.
	Place *Place
}

// leaf reports whether the step does something itself, that is, whether it has
// a report.
func (d *Description) leaf() bool { return d.Steps == nil }

// Walk calls visit for the description and all below it, in pipeline order,
// parents first.
func (d Description) Walk(visit func(Description)) {
	visit(d)
	for _, child := range d.Steps {
		child.Walk(visit)
	}
}

// faults returns what is wrong with how the step, or one below it, was put
// together, each with the step's name.
func (d *Description) faults() error {
	var faults []error
	d.Walk(func(about Description) {
		for _, err := range each(about.Err) {
			faults = append(faults, &StepError{Step: about.Name, Err: err})
		}
	})
	return errors.Join(faults...)
}

// each returns the errors that errors.Join has made one, so that each can be told on
// a line of its own with the step's name in front.
func each(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, part := range joined.Unwrap() {
		all = append(all, each(part)...)
	}
	if errors.Join(all...).Error() != err.Error() {
		return []error{err} // it says more than its parts
	}
	return all
}

// reports reports whether the step, or one below it, only computes status.
func (d *Description) reports() bool {
	if d.Reporting {
		return true
	}
	for i := range d.Steps {
		if d.Steps[i].reports() {
			return true
		}
	}
	return false
}
