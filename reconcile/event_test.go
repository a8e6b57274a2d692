package reconcile

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClip(t *testing.T) {
	for name, test := range map[string]struct{ reason, text, want string }{
		"short":      {"what fits stays", "abc", "abc"},
		"long":       {"the rest is left out", strings.Repeat("a", 20), "aaaaaaa…"},
		"characters": {"a character is not cut in two", strings.Repeat("ü", 20), "üüü…"},
		"not UTF-8":  {"what is no text would grow in JSON", "a\xffb", "a�b"},
	} {
		t.Run(name, func(t *testing.T) {
			got := clip(test.text, 10)
			if got != test.want || len(got) > 10 || !utf8.ValidString(got) {
				t.Errorf("%s: clip = %q, want %q", test.reason, got, test.want)
			}
		})
	}
}
