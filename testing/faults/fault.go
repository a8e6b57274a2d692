package faults

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A Kind is a way in which things go wrong at one request of an operator.
type Kind string

// What can go wrong. A request is any that the operator sends to the API server; the
// cache sends none.
const (
	// Refused: the server answers 500, and has done nothing.
	Refused Kind = "refused"
	// Lost: the server has done it, and the connection breaks before the answer.
	Lost Kind = "lost"
	// Conflict: the server answers 409 to a write, and has done nothing.
	Conflict Kind = "conflict"
	// Timeout: the server has done it, and answers 504 that it does not know.
	Timeout Kind = "timeout"

	// CrashBefore and CrashAfter: the process ends before the server gets the request,
	// or after it has done it and before the answer. It is started again, with a cache
	// that is up to date.
	CrashBefore Kind = "crash-before"
	CrashAfter  Kind = "crash-after"
	// CrashBeforeStale and CrashAfterStale: the same, and the new process begins with a
	// cache as of the beginning of the pass before the one that was interrupted.
	CrashBeforeStale Kind = "crash-before-stale"
	CrashAfterStale  Kind = "crash-after-stale"

	// Behind: from this request on, the cache shows one kind a number of changes late,
	// until nothing else is to be done, or for 30 passes after a change of the scenario;
	// then the changes are shown one by one.
	Behind Kind = "behind"
	// Coalesced: from this request on, the cache shows no changes of one kind, for as
	// long; then it shows all of them before the next pass, each to the watches.
	Coalesced Kind = "coalesced"
	// Unseen: the same, and then it lists the kind again, as after a watch that broke:
	// the watches are told once of each object that is not as it was, and what was in
	// between is missed. An object that was made and deleted was never there, one that
	// was deleted and made again has changed, and of one that is gone they are told as it
	// was when they saw it last.
	Unseen Kind = "unseen"
)

// ofRequests are the kinds that concern the request alone.
var ofRequests = []Kind{
	Refused, Lost, Conflict, Timeout, CrashBefore, CrashAfter, CrashBeforeStale, CrashAfterStale,
}

// A Fault is one thing that goes wrong.
type Fault struct {
	// At is the number of the request at which it does, from 1.
	At int
	// Kind is what goes wrong.
	Kind Kind
	// Of is the kind that the cache is wrong about, if it is about the cache.
	Of schema.GroupVersionKind
	// Changes is how many changes the cache is behind, if it is.
	Changes int
}

// String tells the fault as [ParseSchedule] reads it: "3:crash-after", or
// "3:behind:Deployment.v1.apps:2".
func (f Fault) String() string {
	text := fmt.Sprintf("%d:%s", f.At, f.Kind)
	if f.Kind == Behind || f.Kind == Coalesced || f.Kind == Unseen {
		text += fmt.Sprintf(":%s.%s.%s", f.Of.Kind, f.Of.Version, f.Of.Group)
	}
	if f.Kind == Behind {
		text += fmt.Sprintf(":%d", f.Changes)
	}
	return text
}

// A Schedule is what goes wrong in one run. The empty one is that of a run in which
// nothing does.
type Schedule []Fault

// String tells the schedule, for [ParseSchedule].
func (s Schedule) String() string {
	if len(s) == 0 {
		return "undisturbed"
	}
	texts := make([]string, len(s))
	for i, fault := range s {
		texts[i] = fault.String()
	}
	return strings.Join(texts, ",")
}

// ParseSchedule reads what [Schedule.String] tells.
func ParseSchedule(text string) (Schedule, error) {
	if text == "" || text == "undisturbed" {
		return nil, nil
	}
	var schedule Schedule
	for _, part := range strings.Split(strings.TrimSpace(text), ",") {
		fault, err := parseFault(strings.Split(strings.TrimSpace(part), ":"))
		if err != nil {
			return nil, fmt.Errorf("fault %q: %w", part, err)
		}
		schedule = append(schedule, fault)
	}
	return schedule, nil
}

func parseFault(parts []string) (Fault, error) {
	if len(parts) < 2 {
		return Fault{}, fmt.Errorf("want a request and a kind")
	}
	at, err := strconv.Atoi(parts[0])
	if err != nil {
		return Fault{}, err
	}
	fault := Fault{At: at, Kind: Kind(parts[1])}
	want := 2
	switch fault.Kind {
	case Behind:
		want = 4
	case Coalesced, Unseen:
		want = 3
	case Refused, Lost, Conflict, Timeout, CrashBefore, CrashAfter, CrashBeforeStale, CrashAfterStale:
	default:
		return Fault{}, fmt.Errorf("unknown kind %q", fault.Kind)
	}
	if len(parts) != want {
		return Fault{}, fmt.Errorf("want %d parts", want)
	}
	if want > 2 {
		names := strings.SplitN(parts[2], ".", 3)
		if len(names) != 3 {
			return Fault{}, fmt.Errorf("%q is no Kind.version.group", parts[2])
		}
		fault.Of = schema.GroupVersionKind{Kind: names[0], Version: names[1], Group: names[2]}
	}
	if want > 3 {
		if fault.Changes, err = strconv.Atoi(parts[3]); err != nil {
			return Fault{}, err
		}
	}
	return fault, nil
}
