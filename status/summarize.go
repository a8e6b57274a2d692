package status

import (
	"context"
	"errors"
	"reflect"

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

// Summary is the step that keeps the conditions. Make one with [Summarize].
type Summary[T client.Object] struct {
	conditions func(T) *[]metav1.Condition
	generation []int // index of Status.ObservedGeneration in T's struct, or nil
}

// Summarize returns a step that keeps a condition for each step of the pipeline
// and one, Ready, for the object, with Reconciling and Stalled beside it, in the list that conditions points to:
//
//	status.Summarize(func(app *MyApp) *[]metav1.Condition { return &app.Status.Conditions })
//
// The condition of a step is
//
//	True     the step is done and what it made is ready
//	False    the step waits (with the step's reason and message) or failed
//	Unknown  the step halted the pass, or it was not reached and not seen at
//	         this generation before
//
// While a step stays failed for the same reason at the same generation its
// message stays that of the first such error, see [reconcile.Report]: an error
// with the id of a request in it would be a write in each pass.
//
// A step that was not reached but was seen at this generation keeps its
// condition: that another step failed says nothing about it.
//
// Ready is False if any step is, else Unknown if any step is, else True. Its
// reason is that of the most severe step, a failure before a wait, the first in
// pipeline order among equals; its message names all steps that are not ready,
// in pipeline order. While the object is being deleted Ready is False and says
// what deletion waits for, and steps that have nothing to say keep their
// conditions.
//
// Reconciling and Stalled are there while they are true, as kstatus has it, by
// which kubectl wait, Flux and Argo CD tell progress from trouble: a step that
// waits or is retried makes the object Reconciling; a terminal error, or a Wait
// for what will not come by itself, makes it Stalled; a halted one is neither. At most one of the two is there:
// Stalled wins.
//
// Each condition carries the generation that the pass saw, and so does the field
// Status.ObservedGeneration, an int64, if the object has one. lastTransitionTime
// moves only when the status of a condition does, compared between the beginning
// and the end of the pass, for the author's own conditions in the list too.
// Conditions that are not a step's stay as they are.
//
// Put it last. Its name is "summary".
func Summarize[T client.Object](conditions func(T) *[]metav1.Condition) *Summary[T] {
	return &Summary[T]{conditions: conditions, generation: observedGenerationOf[T]()}
}

// observedGenerationOf returns the index of the field
// Status.ObservedGeneration, nil if there is none of type int64.
func observedGenerationOf[T client.Object]() []int {
	pointer := reflect.TypeFor[T]()
	if pointer.Kind() != reflect.Pointer || pointer.Elem().Kind() != reflect.Struct {
		return nil
	}
	status, ok := pointer.Elem().FieldByName("Status")
	if !ok || status.Type.Kind() != reflect.Struct {
		return nil
	}
	field, ok := status.Type.FieldByName("ObservedGeneration")
	if !ok || field.Type.Kind() != reflect.Int64 {
		return nil
	}
	return append(append([]int{}, status.Index...), field.Index...)
}

// Describe implements [reconcile.Step].
func (s *Summary[T]) Describe() reconcile.Description {
	about := reconcile.Description{Name: "summary", Kind: "status.Summarize", Reporting: true}
	if s.conditions == nil {
		about.Err = errors.New("the function that finds the conditions is nil")
	}
	return about
}

// Reconcile implements [reconcile.Step]: it computes the conditions and sends
// nothing.
func (s *Summary[T]) Reconcile(_ context.Context, run *reconcile.Run[T]) (reconcile.Result, error) {
	object := run.Object()
	list := s.conditions(object)
	if list == nil {
		return reconcile.Result{}, errors.New("the function that finds the conditions returned nil")
	}
	keeper := keeper{
		list:       list,
		before:     s.before(run.Original()),
		generation: object.GetGeneration(),
		now:        metav1.NewTime(run.Now()),
	}
	if run.Deleting() {
		keeper.sumUpDeletion(run.Reports())
	} else {
		keeper.sumUp(run.Reports())
	}
	keeper.settleTransitions()
	if s.generation != nil {
		reflect.ValueOf(object).Elem().FieldByIndex(s.generation).SetInt(object.GetGeneration())
	}
	return reconcile.Continue, nil
}

// before returns the conditions of the object as it was read, which must not be
// changed: a status that is a nil pointer has none, and the function, which may
// make one to find them, is not called for it.
func (s *Summary[T]) before(original T) []metav1.Condition {
	if object := reflect.ValueOf(original).Elem(); object.Kind() == reflect.Struct {
		status := object.FieldByName("Status")
		if status.IsValid() && status.Kind() == reflect.Pointer && status.IsNil() {
			return nil
		}
	}
	if list := s.conditions(original); list != nil {
		return *list
	}
	return nil
}

// Finalize implements [reconcile.Step]: there is nothing to undo.
func (s *Summary[T]) Finalize(context.Context, *reconcile.Run[T]) (reconcile.Result, error) {
	return reconcile.Continue, nil
}
