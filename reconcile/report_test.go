package reconcile

import "testing"

func TestSentence(t *testing.T) {
	for name, test := range map[string]struct {
		step, reason, message, want string
	}{
		"message":       {"dns", "Locked", "the zone is locked", "dns: the zone is locked"},
		"no message":    {"dns", "Locked", "", "dns: Locked"},
		"name in it":    {"Service", "Taken", "Service demo/web exists", "Service demo/web exists"},
		"name at end":   {"dns", "Locked", "the zone refuses dns", "the zone refuses dns"},
		"part of words": {"dns", "Locked", "dnssec is off", "dns: dnssec is off"},
		"in a name":     {"dns", "Unknown", "set the annotation example.com/dns-id", "dns: set the annotation example.com/dns-id"},
		"punctuation":   {"dns", "Locked", "the zone refuses (dns).", "the zone refuses (dns)."},
		"two words":     {"dns-record", "Locked", "the zone is locked", "dns-record: the zone is locked"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Report{Step: test.step, Reason: test.reason, Message: test.message}).Sentence(); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// A reason that no condition may have would have the whole status refused.
func TestReasonsAreWords(t *testing.T) {
	for reason, want := range map[string]string{
		"InvalidSpec": "InvalidSpec", "dns:Locked": "dns:Locked", "A_1": "A_1", "": "",
		"not found": "NotFound", "404 not-found.": "NotFound", "trailing:": "Trailing", "404": "", "größe": "", "!": "",
	} {
		var report Report
		report.record(Result{outcome: Waiting, reason: reason}, nil)
		if report.Reason != want {
			t.Errorf("of %q: %q, want %q", reason, report.Reason, want)
		}
		if report.record(Result{}, WithReason(reason, errGone)); report.Reason != want {
			t.Errorf("of an error with %q: %q, want %q", reason, report.Reason, want)
		}
	}
}
