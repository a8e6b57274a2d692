package status

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/reconcile"
)

// An author's own conditions take part in the summary, those of negative polarity
// too.
func TestOwnConditionsTakePart(t *testing.T) {
	ready := []reconcile.Report{{Step: "A", State: reconcile.StateReady}}
	for name, test := range map[string]struct {
		reason  string
		before  []metav1.Condition
		reports []reconcile.Report
		want    string // Ready, and what there is beside it
	}{
		"good": {
			"True is good, and False of what is negative",
			[]metav1.Condition{condition("Audited", "True", 2, "Seen", ""), condition("Degraded", "False", 2, "Fine", "")}, ready,
			"Ready=True g2 Ready: every step is ready",
		},
		"missing": {
			"nobody has said that it is good; what is negative is good until somebody says otherwise", nil, ready,
			"Ready=Unknown g2 Pending: Audited: not set yet Reconciling",
		},
		"False": {
			"False is bad, with its words",
			[]metav1.Condition{condition("Audited", "False", 2, "Overdue", "the audit is overdue")}, ready,
			"Ready=False g2 Overdue: Audited: the audit is overdue Reconciling",
		},
		"negative True": {
			"True is bad of what is negative, with its words",
			[]metav1.Condition{condition("Audited", "True", 2, "Seen", ""), condition("Degraded", "True", 2, "DiskFull", "the disk is full")}, ready,
			"Ready=False g2 DiskFull: Degraded: the disk is full Reconciling",
		},
		"Unknown": {
			"Unknown is neither, with its words",
			[]metav1.Condition{condition("Audited", "True", 2, "Seen", ""), condition("Degraded", "Unknown", 2, "NoContact", "no contact")}, ready,
			"Ready=Unknown g2 NoContact: Degraded: no contact Reconciling",
		},
		"no message": {
			"its reason has to do",
			[]metav1.Condition{condition("Audited", "False", 2, "Overdue", "")}, ready,
			"Ready=False g2 Overdue: Audited: Overdue Reconciling",
		},
		"no status": {
			"what says nothing is not known",
			[]metav1.Condition{condition("Audited", "", 2, "", "")}, ready,
			"Ready=Unknown g2 Unspecified: Audited:  Reconciling",
		},
		"old generation": {
			"readiness of an old generation never counts",
			[]metav1.Condition{condition("Audited", "True", 1, "Seen", "")}, ready,
			"Ready=Unknown g2 Pending: Audited: not known of the present generation yet Reconciling",
		},
		"old generation of what is negative": {
			"neither does that of what is negative",
			[]metav1.Condition{condition("Audited", "True", 2, "Seen", ""), condition("Degraded", "False", 1, "Fine", "")}, ready,
			"Ready=Unknown g2 Pending: Degraded: not known of the present generation yet Reconciling",
		},
		"no generation": {
			"who does not tell the generation is believed",
			[]metav1.Condition{condition("Audited", "True", 0, "Seen", "")}, ready,
			"Ready=True g2 Ready: every step is ready",
		},
		"beside a failure": {
			"the most severe has the reason, the messages are in order",
			[]metav1.Condition{condition("Audited", "False", 2, "Overdue", "overdue")},
			[]reconcile.Report{{Step: "A", State: reconcile.StateFailed, Reason: "Refused", Message: "refused"}},
			"Ready=False g2 Refused: A: refused; Audited: overdue Reconciling",
		},
	} {
		t.Run(name, func(t *testing.T) {
			list := append([]metav1.Condition(nil), test.before...)
			summary := Summarize(func(*metav1.PartialObjectMetadata) *[]metav1.Condition { return &list }).Including("Audited").Negative("Degraded")
			keeper := keeper{plan: &summary.plan, list: &list, before: test.before, generation: 2, now: now}
			keeper.sumUp(test.reports)
			others, progress := split(list)
			got := ""
			for _, line := range short(others) {
				if strings.HasPrefix(line, "Ready=") {
					got = strings.TrimSpace(strings.TrimSuffix(line, " (moved)") + " " + progress)
				}
			}
			if got != test.want {
				t.Errorf("%s: %q, want %q", test.reason, got, test.want)
			}
			kept := append([]metav1.Condition(nil), others[:len(test.before)]...)
			if diff := cmp.Diff(test.before, kept); diff != "" && test.before != nil {
				t.Errorf("the author's conditions were changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRetiredConditionsGo(t *testing.T) {
	before := []metav1.Condition{condition("OldReady", "True", 1, "Ready", ""), condition("Mine", "True", 1, "Yes", "")}
	for _, deleting := range []bool{false, true} {
		list := append([]metav1.Condition(nil), before...)
		keeper := keeper{plan: &plan{ready: ReadyCondition, retired: []string{"OldReady"}}, list: &list, before: before, generation: 2, now: now}
		if deleting {
			keeper.sumUpDeletion(nil)
		} else {
			keeper.sumUp(nil)
		}
		if list[0].Type != "Mine" || list[1].Type != ReadyCondition {
			t.Errorf("deleting %t: conditions = %v, want Mine and Ready", deleting, short(list))
		}
	}
}
