package reconcile

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A State is what a pass found a step to be.
type State int

const (
	// StateUnseen means that the pass did not reach the step.
	StateUnseen State = iota
	// StateReady means that the step returned Continue.
	StateReady
	// StateHalted means that the step returned Halt.
	StateHalted
	// StateWaiting means that the step returned Wait.
	StateWaiting
	// StateFailed means that the step returned an error that is retried.
	StateFailed
	// StateStalled means that the step returned a terminal error, or a Wait for
	// something that will not come by itself.
	StateStalled
)

// String names the state as the table in the package comment does.
func (s State) String() string {
	switch s {
	case StateUnseen:
		return "Unseen"
	case StateReady:
		return "Ready"
	case StateHalted:
		return "Halted"
	case StateWaiting:
		return "Waiting"
	case StateFailed:
		return "Failed"
	case StateStalled:
		return "Stalled"
	}
	return fmt.Sprintf("State(%d)", int(s))
}

// A Report is what one pass has to say about one step.
type Report struct {
	// Step is the step's name.
	Step string
	// Condition is the type of the condition that speaks for the step, or "".
	Condition string
	// Reporting says that the step only computes status.
	Reporting bool
	// State is what the step was found to be.
	State State
	// Reason is a CamelCase word: that of the Wait or Halt, or of the error
	// (see [WithReason]). Empty for Unseen and Ready.
	Reason string
	// Message is a sentence for people: that of the Wait or Halt, or the error's
	// text. While a step stays Failed, for the same reason and at the same
	// generation of the object, it is the text of the first such error, because
	// many carry what is another in each pass, such as the id of a request. An error
	// that differs in more than numbers, ids, times and addresses is told when those
	// words are a minute old. They are remembered in [Memory]. Empty for Unseen and
	// Ready.
	Message string
	// Err is the error that the step returned, if it is one that made it Failed or
	// Stalled; else nil.
	Err error
}

// Sentence tells the message, or the reason if there is none, with the name of the
// step in front unless that is a word of it: "dns: the zone is locked", but
// "Service demo/web exists" of a step "Service".
func (r Report) Sentence() string {
	switch {
	case r.Message == "":
		return r.Step + ": " + r.Reason
	case slices.ContainsFunc(strings.Fields(r.Message), func(word string) bool {
		return strings.TrimFunc(word, unicode.IsPunct) == r.Step
	}):
		return r.Message
	}
	return r.Step + ": " + r.Message
}

// blankReport is the report of a step that the pass has not reached.
func blankReport(about *Description) Report {
	return Report{Step: about.Name, Condition: about.Condition, Reporting: about.Reporting}
}

// record turns the outcome of a step into its report.
func (r *Report) record(result Result, err error) {
	r.State = stateOf(result, err)
	if err != nil {
		r.Reason, r.Message, r.Err = ReasonWord(reasonOf(err)), err.Error(), err
		return
	}
	r.Reason, r.Message, r.Err = ReasonWord(result.reason), result.message, nil
}

// stateOf returns what an outcome makes of a step.
func stateOf(result Result, err error) State {
	switch {
	case err != nil && IsTerminal(err):
		return StateStalled
	case err != nil:
		return StateFailed
	case result.outcome == Halted:
		return StateHalted
	case result.outcome == Waiting && result.stalled:
		return StateStalled
	case result.outcome == Waiting:
		return StateWaiting
	}
	return StateReady
}
