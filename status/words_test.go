package status

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClip(t *testing.T) {
	for name, message := range map[string]string{
		"short":  "short",
		"long":   strings.Repeat("x", maxMessage+1),
		"runes":  strings.Repeat("ü", maxMessage),
		"halves": strings.Repeat("\xe2\x82", 10),
	} {
		t.Run(name, func(t *testing.T) {
			got := clip(message)
			if len(got) > maxMessage {
				t.Errorf("%d bytes, more than the %d that a condition may have", len(got), maxMessage)
			}
			if !utf8.ValidString(got) {
				t.Error("a rune was cut in two")
			}
			if len(message) <= maxMessage && got != message && utf8.ValidString(message) {
				t.Error("a message that fits was changed")
			}
		})
	}
}
