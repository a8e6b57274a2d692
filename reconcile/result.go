package reconcile

import (
	"fmt"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
)

// An Outcome is the kind of a [Result]. Outcomes are disjoint, and ordered by
// how much they hold back: joining two results keeps the greater.
type Outcome int

const (
	// Continued means that the step is done and later ones may run.
	Continued Outcome = iota
	// Halted means that there is nothing more to do for the object.
	Halted
	// Waiting means that something outside this pass has to happen first.
	Waiting
)

// String names the outcome.
func (o Outcome) String() string {
	switch o {
	case Continued:
		return "Continue"
	case Halted:
		return "Halt"
	case Waiting:
		return "Wait"
	}
	return fmt.Sprintf("Outcome(%d)", int(o))
}

// A Result is what a step that did not fail has to say. The zero value is
// [Continue]. Results are values and safe to copy and share.
type Result struct {
	outcome         Outcome
	reason, message string
	after           time.Duration
	stalled         bool
}

// Continue is the result of a step that is done: later steps run. It is the
// zero Result; do not assign to it.
var Continue = Result{}

// Wait is the result of a step that can go on only when something else has
// happened: later steps of a sequence are skipped. It asks for no requeue,
// because a watch is expected to wake the object; add a poll with
// [Result.After] where there is no watch.
//
// The reason is a CamelCase word and the message a sentence for people; both go
// into the step's condition, so neither should contain text that changes from
// pass to pass, such as a time or a count of attempts.
func Wait(reason, message string) Result {
	return Result{outcome: Waiting, reason: reason, message: message}
}

// Halt is the result of a step that says that nothing more is to be done for
// the object, for example because it is paused: later steps of a sequence are
// skipped. It asks for no requeue unless [Result.After] adds one.
// Reason and message are as for [Wait].
func Halt(reason, message string) Result {
	return Result{outcome: Halted, reason: reason, message: message}
}

// After returns the result with the request to run the pipeline again after d,
// or sooner: the soonest of all requests of a pass counts. Zero asks for
// nothing, as in controller-runtime, and a negative d, as [time.Until] gives
// for a moment that has passed, means at once.
func (r Result) After(d time.Duration) Result {
	if d < 0 {
		d = time.Nanosecond
	}
	r.after = soonest(r.after, d)
	return r
}

// Stalled returns the result of a Wait with the word that what it waits for will
// not come by itself, such as a Deployment that has passed its progress deadline:
// somebody has to do something. The outcome is the same; the step's report says
// Stalled. It means nothing for other results.
func (r Result) Stalled() Result {
	r.stalled = r.outcome == Waiting
	return r
}

// IsStalled reports whether the result is a Wait for what will not come by
// itself.
func (r Result) IsStalled() bool { return r.stalled }

// Outcome returns the kind of the result.
func (r Result) Outcome() Outcome { return r.outcome }

// Reason returns the reason of a Wait or Halt, else "".
func (r Result) Reason() string { return r.reason }

// Message returns the message of a Wait or Halt, else "".
func (r Result) Message() string { return r.message }

// RequeueAfter returns when the result asks to run again, or 0 for never.
func (r Result) RequeueAfter() time.Duration { return r.after }

// String tells the result in a line, for logs and test failures.
func (r Result) String() string {
	text := r.outcome.String()
	if r.reason != "" || r.message != "" {
		text += fmt.Sprintf("(%s: %s)", r.reason, r.message)
	}
	if r.stalled {
		text += " stalled"
	}
	if r.after > 0 {
		text += fmt.Sprintf(" after %s", r.after)
	}
	return text
}

// Return translates what a step returned into what controller-runtime expects,
// for a step that is run inside a handwritten Reconcile:
//
//	return reconcile.Return(run.Do(ctx, deployment))
//
// A terminal error that came together with a request to run again is logged by
// [Pipeline.Reconcile] and dropped here in favour of the requeue, because
// controller-runtime ignores the requeue beside any error: it would otherwise
// be lost.
func Return(result Result, err error) (ctrl.Result, error) {
	if err == nil {
		return ctrl.Result{RequeueAfter: result.after}, nil
	}
	if after := afterOf(err); after > 0 && IsTerminal(err) {
		return ctrl.Result{RequeueAfter: after}, nil
	}
	return ctrl.Result{}, forController(err)
}

// soonest returns the smaller of two requeue requests, where 0 is none.
func soonest(a, b time.Duration) time.Duration {
	if a == 0 || (b != 0 && b < a) {
		return b
	}
	return a
}
