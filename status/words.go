package status

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// What metav1.Condition's validation accepts (k8s.io/apimachinery, Condition:
// reason and message). A status with a condition beyond that would be refused
// as a whole, and with it everything else it has to tell.
const (
	maxReason  = 1024
	maxMessage = 32768
)

var reasonPattern = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)

// validReason returns reason, or a general word if it is not one that a
// condition may have.
func validReason(reason string) string {
	if len(reason) > maxReason || !reasonPattern.MatchString(reason) {
		return "Unspecified"
	}
	return reason
}

// clip shortens a message to what a condition may have.
func clip(message string) string {
	message = strings.ToValidUTF8(message, "�") // as it comes back from the server
	if len(message) <= maxMessage {
		return message
	}
	cut := maxMessage - len("…")
	for cut > 0 && !utf8.RuneStart(message[cut]) {
		cut--
	}
	return message[:cut] + "…"
}
