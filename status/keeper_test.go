package status

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/reconcile"
)

var (
	then = metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	now  = metav1.NewTime(then.Add(time.Hour))
)

// split takes Reconciling and Stalled out of a list of conditions: it returns the
// others, and which of the two there are.
func split(conditions []metav1.Condition) (others []metav1.Condition, progress string) {
	for _, c := range conditions {
		if c.Type != ReconcilingCondition && c.Type != StalledCondition {
			others = append(others, c)
		} else if c.Status == metav1.ConditionTrue {
			progress += c.Type
		}
	}
	return others, progress
}

// short is a condition in a line: "Ready=True g2 Reason: message".
func short(conditions []metav1.Condition) []string {
	var lines []string
	for _, c := range conditions {
		line := c.Type + "=" + string(c.Status) + " g" + string(rune('0'+c.ObservedGeneration)) + " " + c.Reason
		if c.Message != "" {
			line += ": " + c.Message
		}
		if c.LastTransitionTime.Equal(&now) {
			line += " (moved)"
		}
		lines = append(lines, line)
	}
	return lines
}

func condition(conditionType string, status metav1.ConditionStatus, generation int64, reason, message string) metav1.Condition {
	return metav1.Condition{
		Type: conditionType, Status: status, ObservedGeneration: generation,
		Reason: reason, Message: message, LastTransitionTime: then,
	}
}

func TestSumUp(t *testing.T) {
	ready := func(step string) reconcile.Report {
		return reconcile.Report{Step: step, Condition: reconcile.ConditionType(step), State: reconcile.StateReady}
	}
	report := func(step string, state reconcile.State, reason, message string) reconcile.Report {
		r := reconcile.Report{Step: step, Condition: reconcile.ConditionType(step), State: state, Reason: reason, Message: message}
		if state == reconcile.StateFailed || state == reconcile.StateStalled {
			r.Err = errors.New(message)
		}
		return r
	}
	unseen := func(step string) reconcile.Report { return report(step, reconcile.StateUnseen, "", "") }
	for name, test := range map[string]struct {
		reason   string
		before   []metav1.Condition
		reports  []reconcile.Report
		want     []string
		progress string
	}{
		"all ready": {
			reason:  "True only when every step is",
			reports: []reconcile.Report{ready("A"), ready("B")},
			want:    []string{"Ready=True g2 Ready: every step is ready (moved)", "AReady=True g2 Ready (moved)", "BReady=True g2 Ready (moved)"},
		},
		"no steps": {
			reason: "nothing is wrong",
			want:   []string{"Ready=True g2 Ready: every step is ready (moved)"},
		},
		"waiting": {
			progress: "Reconciling",
			reason:   "False while a step waits, with its words",
			reports:  []reconcile.Report{ready("A"), report("B", reconcile.StateWaiting, "LessReady", "1 of 2")},
			want:     []string{"Ready=False g2 LessReady: B: 1 of 2 (moved)", "AReady=True g2 Ready (moved)", "BReady=False g2 LessReady: 1 of 2 (moved)"},
		},
		"worst": {
			progress: "Reconciling",
			reason:   "the reason is the most severe step's, the messages are in pipeline order",
			reports: []reconcile.Report{
				report("A", reconcile.StateWaiting, "Wait", "a"),
				report("B", reconcile.StateFailed, "Fail", "b"),
				report("C", reconcile.StateFailed, "FailToo", "c"),
			},
			want: []string{
				"Ready=False g2 Fail: A: a; B: b; C: c (moved)",
				"AReady=False g2 Wait: a (moved)", "BReady=False g2 Fail: b (moved)", "CReady=False g2 FailToo: c (moved)",
			},
		},
		"stalled over failed": {
			progress: "Stalled",
			reason:   "what will not get better by itself is worse",
			reports: []reconcile.Report{
				report("A", reconcile.StateFailed, "Fail", "a"), report("B", reconcile.StateStalled, "Invalid", "b"),
			},
			want: []string{"Ready=False g2 Invalid: A: a; B: b (moved)", "AReady=False g2 Fail: a (moved)", "BReady=False g2 Invalid: b (moved)"},
		},
		"was on its way": {
			reason:  "Reconciling goes when there is nothing more to do",
			before:  []metav1.Condition{condition("Reconciling", "True", 2, "X", "x"), condition("Stalled", "True", 2, "X", "x")},
			reports: []reconcile.Report{ready("A")},
			want:    []string{"Ready=True g2 Ready: every step is ready (moved)", "AReady=True g2 Ready (moved)"},
		},
		"halted": {
			reason:  "a halted object is neither ready nor not",
			reports: []reconcile.Report{report("A", reconcile.StateHalted, "Paused", "by a person"), unseen("B")},
			want: []string{
				"Ready=Unknown g2 Paused: A: by a person; not reached yet: B (moved)",
				"AReady=Unknown g2 Paused: by a person (moved)", "BReady=Unknown g2 Pending: not reached yet (moved)",
			},
		},
		"not reached, seen at this generation": {
			progress: "Reconciling",
			reason:   "an error elsewhere says nothing about a step (an error never erases good child status)",
			before: []metav1.Condition{
				condition("Ready", "True", 2, "Ready", ""), condition("AReady", "True", 2, "Ready", ""), condition("BReady", "True", 2, "Ready", ""),
			},
			reports: []reconcile.Report{report("A", reconcile.StateFailed, "Fail", "a"), unseen("B")},
			want:    []string{"Ready=False g2 Fail: A: a (moved)", "AReady=False g2 Fail: a (moved)", "BReady=True g2 Ready"},
		},
		"not reached, seen at an older generation": {
			reason: "what was true of the old spec is not known of the new",
			before: []metav1.Condition{
				condition("Ready", "True", 1, "Ready", ""), condition("AReady", "True", 1, "Ready", ""), condition("BReady", "True", 1, "Ready", ""),
			},
			reports: []reconcile.Report{report("A", reconcile.StateHalted, "Paused", "p"), unseen("B")},
			want: []string{
				"Ready=Unknown g2 Paused: A: p; not reached yet: B (moved)",
				"AReady=Unknown g2 Paused: p (moved)", "BReady=Unknown g2 Pending: not reached yet (moved)",
			},
		},
		"not reached, was not ready": {
			progress: "Reconciling",
			reason:   "what was wrong at this generation still counts",
			before: []metav1.Condition{
				condition("Ready", "False", 2, "LessReady", "B: 1 of 2"), condition("AReady", "True", 2, "Ready", ""), condition("BReady", "False", 2, "LessReady", "1 of 2"),
			},
			reports: []reconcile.Report{report("A", reconcile.StateHalted, "Paused", "p"), unseen("B")},
			want: []string{
				"Ready=False g2 LessReady: A: p; B: 1 of 2",
				"AReady=Unknown g2 Paused: p (moved)", "BReady=False g2 LessReady: 1 of 2",
			},
		},
		"others' conditions": {
			reason:  "they stay as they are",
			before:  []metav1.Condition{condition("Audited", "True", 1, "Seen", "x")},
			reports: []reconcile.Report{ready("A")},
			want:    []string{"Audited=True g1 Seen: x", "Ready=True g2 Ready: every step is ready (moved)", "AReady=True g2 Ready (moved)"},
		},
		"same status, other words": {
			progress: "Reconciling",
			reason:   "lastTransitionTime moves only with the status",
			before:   []metav1.Condition{condition("Ready", "False", 1, "X", "x"), condition("AReady", "False", 1, "X", "x")},
			reports:  []reconcile.Report{report("A", reconcile.StateWaiting, "Y", "y")},
			want:     []string{"Ready=False g2 Y: A: y", "AReady=False g2 Y: y"},
		},
		"a reason that no condition may have": {
			progress: "Reconciling",
			reason:   "the server would refuse the whole status",
			reports:  []reconcile.Report{report("A", reconcile.StateWaiting, "not a word", "a")},
			want:     []string{"Ready=False g2 NotAWord: A: a (moved)", "AReady=False g2 NotAWord: a (moved)"},
		},
		"a reason of no letters": {
			progress: "Reconciling",
			reason:   "as before",
			reports:  []reconcile.Report{report("A", reconcile.StateWaiting, "404", "a")},
			want:     []string{"Ready=False g2 Unspecified: A: a (moved)", "AReady=False g2 Unspecified: a (moved)"},
		},
		"a step without a condition": {
			progress: "Reconciling",
			reason:   "it shows in the summary when it is not ready, and only then",
			reports:  []reconcile.Report{{Step: "A", State: reconcile.StateFailed, Reason: "Fail", Message: "a"}, {Step: "B", State: reconcile.StateUnseen}},
			want:     []string{"Ready=False g2 Fail: A: a (moved)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			list := append([]metav1.Condition(nil), test.before...)
			pass := func() {
				keeper := keeper{plan: &plan{ready: ReadyCondition}, list: &list, before: append([]metav1.Condition(nil), list...), generation: 2, now: now}
				keeper.sumUp(test.reports)
				keeper.settleTransitions()
			}
			pass()
			others, progress := split(list)
			if diff := cmp.Diff(test.want, short(others)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
			if progress != test.progress {
				t.Errorf("%s: %q is True, want %q", test.reason, progress, test.progress)
			}
			again := append([]metav1.Condition(nil), list...)
			now = metav1.NewTime(now.Add(time.Hour))
			defer func() { now = metav1.NewTime(then.Add(time.Hour)) }()
			pass()
			if diff := cmp.Diff(again, list); diff != "" {
				t.Errorf("a second pass that finds the same says something else (-first +second):\n%s", diff)
			}
		})
	}
}

func TestSumUpDeletion(t *testing.T) {
	before := []metav1.Condition{
		condition("Ready", "True", 1, "Ready", ""), condition("DnsReady", "True", 1, "Ready", ""), condition("BReady", "True", 1, "Ready", ""),
	}
	for name, test := range map[string]struct {
		reason  string
		reports []reconcile.Report
		want    []string
	}{
		"waits": {
			reason: "Ready says what deletion waits for; steps that say nothing keep their conditions",
			reports: []reconcile.Report{
				{Step: "dns", Condition: "DnsReady", State: reconcile.StateWaiting, Reason: "Draining", Message: "2 members left"},
				{Step: "b", Condition: "BReady", State: reconcile.StateReady},
			},
			want: []string{
				"Ready=False g2 Deleting: deletion waits for dns: 2 members left (moved)",
				"DnsReady=False g2 Draining: 2 members left (moved)", "BReady=True g1 Ready",
			},
		},
		"failed": {
			reason: "a failure has the word",
			reports: []reconcile.Report{
				{Step: "dns", State: reconcile.StateFailed, Reason: "CleanupFailed", Message: "zone is locked", Err: errors.New("zone is locked")},
				{Step: "b", Condition: "BReady", State: reconcile.StateUnseen},
			},
			want: []string{
				"Ready=False g2 CleanupFailed: deletion waits for dns: zone is locked (moved)",
				"DnsReady=True g1 Ready", "BReady=True g1 Ready",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			list := append([]metav1.Condition(nil), before...)
			keeper := keeper{plan: &plan{ready: ReadyCondition}, list: &list, before: before, generation: 2, now: now}
			keeper.sumUpDeletion(test.reports)
			keeper.settleTransitions()
			others, progress := split(list)
			if diff := cmp.Diff(test.want, short(others)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
			if progress != ReconcilingCondition {
				t.Errorf("%s: %q is True, want Reconciling", test.reason, progress)
			}
		})
	}
}

// An author's condition that is set to one value and back within a pass has not
// changed (C05).
func TestTransitionsAreThoseBetweenPasses(t *testing.T) {
	before := []metav1.Condition{condition("Mine", "True", 1, "Yes", "")}
	list := []metav1.Condition{condition("Mine", "True", 1, "Yes", "")}
	list[0].LastTransitionTime = now // as SetStatusCondition to False and back leaves it
	keeper := keeper{plan: &plan{ready: ReadyCondition}, list: &list, before: before, generation: 1, now: now}
	keeper.settleTransitions()
	if !list[0].LastTransitionTime.Equal(&then) {
		t.Errorf("lastTransitionTime = %v, want %v", list[0].LastTransitionTime, then)
	}
}
