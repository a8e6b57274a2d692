package reconcile

import "testing"

func TestSameBesideNumbers(t *testing.T) {
	for name, test := range map[string]struct {
		a, b string
		same bool
	}{
		"equal":     {"zone is locked", "zone is locked", true},
		"different": {"zone is locked", "quota exceeded", false},
		"a word":    {"zone a is locked", "zone b is locked", false},
		"request":   {"denied (request id: 5f2c01)", "denied (request id: abcd99)", true},
		"uuid":      {"denied: 8a6e0804-2bd0-4672-b79d-d97027f9071a", "denied: 0e12f2ff-abcd-cdef-feed-d97027f9071b", true},
		"uuid with a group of letters first": {
			"denied: abcdefab-2bd0-4672-b79d-d97027f9071a", "denied: 0e12f2ff-abcd-cdef-feed-d97027f9071b", true,
		},
		"address":  {"dial tcp 10.0.0.1:43210->10.96.0.1:443: refused", "dial tcp 10.0.0.2:3211->10.96.0.1:443: refused", true},
		"address6": {"dial tcp [fe80::1]:443: refused", "dial tcp [2001:db8::abcd]:443: refused", true},
		"time":     {"at 2026-01-02T03:04:05.678Z it broke", "at 2027-11-12T13:14:15+02:00 it broke", true},
		"duration": {"took 1.5s", "took 2m30s", true},
		"count":    {"2 of 3 members", "1 of 3 members", true},
		"pod":      {"pod web-7d9f8b6c5-x2x4z is gone", "pod web-6c5b7d9f8-4zxx2 is gone", true},
		"port":     {"dial tcp 10.0.0.1:443: connection refused", "dial tcp 10.0.0.1:443: i/o timeout", false},
		"hash":     {"digest 0xc000123456 differs", "digest 0xc000abcdef differs", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := sameBesideNumbers(test.a, test.b); got != test.same {
				t.Errorf("%q and %q: %t, want %t (%q, %q)", test.a, test.b, got, test.same, steady(test.a), steady(test.b))
			}
		})
	}
}
