package reconcile

import (
	"strings"
	"unicode"
)

// ConditionType returns the type of the condition that speaks for a step of the
// given name: the name in CamelCase with "Ready" at the end. Words end at any
// character that is neither a letter nor a digit, so that "dns-record" gives
// DnsRecordReady and "Deployment" gives DeploymentReady.
func ConditionType(name string) string {
	var out strings.Builder
	start := true
	for _, char := range name {
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
	return out.String() + "Ready"
}

// indexName returns the name under which a pipeline registers an index: its
// own, because a manager refuses a second registration of the same name, also
// from another pipeline.
func indexName(pipeline, index string) string { return pipeline + "/" + index }
