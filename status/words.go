package status

import (
	"strings"
	"unicode/utf8"
)

// maxMessage is what metav1.Condition's validation accepts (k8s.io/apimachinery,
// Condition.message). A status with a condition beyond that would be refused as a
// whole, and with it everything else it has to tell.
const maxMessage = 32768

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
