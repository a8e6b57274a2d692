package reconcile

import (
	"strings"
	"unicode"
)

// ConditionType returns the type of the condition that speaks for a step of the
// given name: the name in CamelCase with "Ready" at the end. Words end at any
// character that is neither a letter nor a digit, so that "dns-record" gives
// DnsRecordReady and "Deployment" gives DeploymentReady.
func ConditionType(name string) string { return camelCase(name) + "Ready" }

// ReasonWord returns a reason as the API server accepts it in a condition: of one that
// it would refuse a word in CamelCase is made, so that "not found" gives NotFound, and
// "" of one that gives no word. Reports have their reasons so already; it is for
// conditions that a step sets by itself.
func ReasonWord(reason string) string {
	const most = 1024
	if isWord(reason) && len(reason) <= most {
		return reason
	}
	if word := strings.TrimLeftFunc(camelCase(reason), unicode.IsDigit); isWord(word) && len(word) <= most {
		return word
	}
	return ""
}

// isWord reports whether a reason is of the characters that one may have
// (k8s.io/apimachinery, Condition.reason, as is the length above).
func isWord(reason string) bool {
	for i, char := range []byte(reason) {
		letter := 'a' <= char && char <= 'z' || 'A' <= char && char <= 'Z'
		inner := letter || '0' <= char && char <= '9' || char == '_'
		last := i == len(reason)-1
		if i == 0 && !letter || !inner && (last || char != ',' && char != ':') {
			return false
		}
	}
	return true
}

// camelCase joins the words of a text, each with a capital letter.
func camelCase(text string) string {
	var out strings.Builder
	start := true
	for _, char := range text {
		switch {
		case !unicode.IsLetter(char) && !unicode.IsDigit(char):
			start = true
		case start:
			out.WriteRune(unicode.ToUpper(char))
			start = false
		default:
			out.WriteRune(char)
		}
	}
	return out.String()
}

// indexName returns the name under which a pipeline registers an index: its
// own, because a manager refuses a second registration of the same name, also
// from another pipeline.
func indexName(pipeline, index string) string { return pipeline + "/" + index }
