package status

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// The types of the conditions that speak for the whole object.
const (
	// ReadyCondition says whether every step is ready.
	ReadyCondition = "Ready"
	// ReconcilingCondition is there, and True, while the object is on its way to
	// be ready: a step waits, or failed in a way that is retried.
	ReconcilingCondition = "Reconciling"
	// StalledCondition is there, and True, while the object will not become ready
	// by itself: a step failed for good, or waits for what will not come.
	StalledCondition = "Stalled"
)

// Summary is the step that keeps the conditions. Make one with [Summarize]. The
// chained methods are for setup; after that it is safe for concurrent use.
type Summary[T client.Object] struct {
	kind  string
	store store[T]
	plan  plan
	err   error
}

// store is where the conditions of an object are.
type store[T client.Object] interface {
	// before returns the conditions of an object that must not be changed.
	before(original T) ([]metav1.Condition, error)
	// edit changes the conditions of an object.
	edit(object T, change func(*[]metav1.Condition)) error
	// observe says in the object's status that it is about its generation.
	observe(object T)
}

// Summarize returns a step that keeps a condition for each step of the pipeline
// and one, Ready, for the object, with Reconciling and Stalled beside it, in the
// list that conditions points to:
//
//	status.Summarize(func(app *MyApp) *[]metav1.Condition { return &app.Status.Conditions })
//
// For unstructured objects there is [SummarizeUnstructured]. The condition of a
// step is
//
//	True     the step is done and what it made is ready
//	False    the step waits (with the step's reason and message) or failed
//	Unknown  the step halted the pass, or it was not reached and not seen at
//	         this generation before
//
// While a step stays failed for the same reason at the same generation its
// message stays that of the first such error unless the error is a different
// one, see [reconcile.Report]: an error with the id of a request in it would be
// a write in each pass.
//
// A step that was not reached but was seen at this generation keeps its
// condition: that another step failed says nothing about it.
//
// Ready is False if any step is, else Unknown if any step is, else True. An
// author's own conditions take part in it if they are declared: see
// [Summary.Including] and [Summary.Negative]. Its reason is that of the most
// severe, a failure before a wait, the first in pipeline order among equals; its
// message names all steps that are not ready, in pipeline order, and at the end
// those that were not reached. While the object is being deleted Ready is False
// and says what deletion waits for, and steps that have nothing to say keep
// their conditions.
//
// Reconciling and Stalled are there while they are true, as kstatus has it, by
// which kubectl wait, Flux and Argo CD tell progress from trouble: a step that
// waits or is retried makes the object Reconciling; a terminal error, or a Wait
// for what will not come by itself, makes it Stalled; a halted one is neither.
// At most one of the two is there: Stalled wins.
//
// Each condition carries the generation that the pass saw, and so does the field
// Status.ObservedGeneration, an int64 or a pointer to one, if the object has it.
// lastTransitionTime moves only when the status of a condition does, compared
// between the beginning and the end of the pass, for the author's own conditions
// in the list too. Conditions that are not a step's stay as they are. A kind
// without a status subresource has no observedGeneration in its status.
//
// Several pipelines may keep conditions in one object, see [Summary.As]. Put the
// step last. Its name is "summary".
func Summarize[T client.Object](conditions func(T) *[]metav1.Condition) *Summary[T] {
	s := newSummary("status.Summarize", store[T](typed[T]{conditions, observedGenerationOf[T]()}))
	if conditions == nil {
		s.err = errors.New("the function that finds the conditions is nil")
	}
	return s
}

func newSummary[T client.Object](kind string, store store[T]) *Summary[T] {
	return &Summary[T]{kind: kind, store: store, plan: plan{ready: ReadyCondition}}
}

// Describe implements [reconcile.Step].
func (s *Summary[T]) Describe() reconcile.Description {
	return reconcile.Description{
		Name: "summary", Kind: s.kind, Reporting: true,
		Reserved: s.plan.types(),
		Err:      errors.Join(s.err, s.plan.faults()),
	}
}

// Reconcile implements [reconcile.Step]: it computes the conditions and sends
// nothing.
func (s *Summary[T]) Reconcile(_ context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	before, err := s.store.before(run.Original())
	if err != nil {
		return reconcile.Result{}, err
	}
	err = s.store.edit(run.Object(), func(list *[]metav1.Condition) {
		keeper := keeper{
			plan:       &s.plan,
			list:       list,
			before:     before,
			generation: run.Object().GetGeneration(),
			now:        metav1.NewTime(run.Now()),
		}
		if run.Deleting() {
			keeper.sumUpDeletion(run.Reports())
		} else {
			keeper.sumUp(run.Reports())
		}
		keeper.settleTransitions()
	})
	if err == nil && !s.plan.partial() {
		s.store.observe(run.Object())
	}
	return reconcile.Continue, err
}

// Finalize implements [reconcile.Step]: there is nothing to undo.
func (s *Summary[T]) Finalize(context.Context, *reconcile.Run[T]) (reconcile.Result, error) {
	return reconcile.Continue, nil
}
