package reconcile

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Terminal marks an error that will not get better by itself: the object is
// reconciled again only when it, or something that it watches, changes. A nil
// error stays nil. controller-runtime recognises the mark, and
// controller-runtime's own TerminalError is recognised here.
func Terminal(err error) error {
	if err == nil {
		return nil
	}
	return &terminalError{err: err}
}

type terminalError struct{ err error }

func (e *terminalError) Error() string { return e.err.Error() }
func (e *terminalError) Unwrap() error { return e.err }

// Is makes controller-runtime see the mark.
func (e *terminalError) Is(target error) bool { return isMark(target) }

// IsTerminal reports whether nothing in err is worth a retry. An error that
// joins several is terminal only if all of them are: unlike
// controller-runtime's errors.Is, which one terminal error among transient
// ones already satisfies.
func IsTerminal(err error) bool {
	for err != nil {
		//nolint:errorlint // each error of the tree is looked at by itself
		if _, ok := err.(*terminalError); ok || isMark(err) {
			return true
		}
		//nolint:errorlint // this walks the tree
		switch wrapper := err.(type) {
		case interface{ Unwrap() error }:
			err = wrapper.Unwrap()
		case interface{ Unwrap() []error }:
			branches := wrapper.Unwrap()
			for _, branch := range branches {
				if !IsTerminal(branch) {
					return false
				}
			}
			return len(branches) > 0
		default:
			return false
		}
	}
	return false
}

var markType = reflect.TypeOf(ctrlreconcile.TerminalError(nil))

// isMark reports whether err itself, not something it wraps, is
// controller-runtime's terminal error.
func isMark(err error) bool { return reflect.TypeOf(err) == markType }

// WithReason gives an error the reason under which it shows in the step's
// condition and event: a CamelCase word such as "InvalidSpec". Of other text one is
// made: "not found" shows as NotFound. A nil error stays nil.
func WithReason(reason string, err error) error {
	if err == nil {
		return nil
	}
	return &reasonError{reason: reason, err: err}
}

type reasonError struct {
	reason string
	err    error
}

func (e *reasonError) Error() string { return e.err.Error() }
func (e *reasonError) Unwrap() error { return e.err }

// reasonOf returns the reason under which an error is reported: the one of
// [WithReason], else the API server's ("Forbidden", "Invalid"), else "TimedOut" of
// what ran out of time, else "Error".
func reasonOf(err error) string {
	if named, ok := errors.AsType[*reasonError](err); ok {
		return named.reason
	}
	if _, ok := errors.AsType[*PanicError](err); ok {
		return "Panicked"
	}
	if reason := string(apierrors.ReasonForError(err)); reason != "" {
		return reason
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "TimedOut"
	}
	return "Error"
}

// A StepError is an error with the step that it came from. Every error that a
// step of a pipeline returns is wrapped in one, once.
type StepError struct {
	// Step is the name of the step.
	Step string
	// Err is what the step returned, or a [PanicError].
	Err error
}

// Error tells the step and its error.
func (e *StepError) Error() string { return fmt.Sprintf("step %s: %v", e.Step, e.Err) }

// Unwrap returns what the step returned.
func (e *StepError) Unwrap() error { return e.Err }

// A PanicError is the failure of a step that panicked.
type PanicError struct {
	// Value is what was passed to panic.
	Value any
	// Stack is the stack of the goroutine at the panic.
	Stack []byte
}

// Error tells the panic's value. The stack is left to the log, so that the
// message stays the same from pass to pass.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Recover makes a panic a [PanicError], when it is deferred. The step itself is
// guarded already; it is for the goroutines that a step starts, whose panics would end
// the process:
//
//	go func() {
//		defer reconcile.Recover(&err)
//		…
//	}()
func Recover(err *error) {
	if value := recover(); value != nil {
		*err = &PanicError{Value: value, Stack: debug.Stack()}
	}
}

// joinedError is several errors of a pass, or one, with the soonest requeue
// that other steps asked for.
type joinedError struct {
	errs  []error
	after time.Duration
}

// mostTexts is how many of several errors are told in words: a set of a thousand
// children that are all refused is told well enough by the first ones.
const mostTexts = 10

func (e *joinedError) Error() string {
	told := e.errs[:min(mostTexts, len(e.errs))]
	texts := make([]string, len(told), len(told)+1)
	for i, err := range told {
		texts[i] = err.Error()
	}
	if more := len(e.errs) - len(told); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more errors", more))
	}
	text := strings.Join(texts, "; ")
	if e.after > 0 {
		text += fmt.Sprintf(" (asked to run again after %s)", e.after)
	}
	return text
}

func (e *joinedError) Unwrap() []error { return e.errs }

// afterOf returns the requeue that came together with an error, or 0.
func afterOf(err error) time.Duration {
	//nolint:errorlint // only a join that nobody wrapped speaks for the pass
	if joined, ok := err.(*joinedError); ok {
		return joined.after
	}
	return 0
}

// forController returns err such that controller-runtime takes it for terminal
// exactly if [IsTerminal] does.
func forController(err error) error {
	if IsTerminal(err) || !errors.Is(err, ctrlreconcile.TerminalError(nil)) {
		return err
	}
	return &transientError{err: err}
}

// transientError hides the terminal marks in an error, and nothing else.
type transientError struct{ err error }

func (e *transientError) Error() string { return e.err.Error() }

func (e *transientError) Is(target error) bool { return !isMark(target) && errors.Is(e.err, target) }

func (e *transientError) As(target any) bool { return errors.As(e.err, target) }
