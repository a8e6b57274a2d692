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
