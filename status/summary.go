package status

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// summary sums verdicts up.
func summary(verdicts []verdict) verdict {
	sum := verdict{status: metav1.ConditionTrue, reason: reasonReady, message: "every step is ready"}
	for i := range verdicts {
		seen := &verdicts[i]
		if seen.status == metav1.ConditionTrue {
			continue
		}
		if seen.status == metav1.ConditionFalse || sum.status == metav1.ConditionTrue {
			sum.status = seen.status
		}
		if seen.severity > sum.severity {
			sum.severity, sum.reason = seen.severity, seen.reason
		}
	}
	if text := sentences(verdicts); text != "" {
		sum.message = text
	}
	return sum
}

// deletion sums up the verdicts of the steps that deletion waits for. Only one
// that failed has the word: that the object is going is what matters of the
// others.
func deletion(verdicts []verdict) verdict {
	sum := verdict{status: metav1.ConditionFalse, reason: reasonDeleting}
	for i := range verdicts {
		if seen := &verdicts[i]; seen.severity >= severityFailed && seen.severity > sum.severity {
			sum.severity, sum.reason = seen.severity, seen.reason
		}
	}
	sum.message = "deletion waits for " + sentences(verdicts)
	return sum
}

// most is how many steps a summary speaks of, and how many it lists by name.
const (
	mostSentences = 10
	mostNames     = 3
)

// sentences tells of all that is not ready: in order, and at the end, in one
// sentence, of what was not reached.
func sentences(verdicts []verdict) string {
	var texts, unreached []string
	for i := range verdicts {
		seen := &verdicts[i]
		switch {
		case seen.status == metav1.ConditionTrue:
		case seen.message == notReached:
			unreached = append(unreached, seen.about)
		default:
			texts = append(texts, sentence(seen))
		}
	}
	if more := len(texts) - mostSentences; more > 0 {
		texts = append(texts[:mostSentences], fmt.Sprintf("and %d more", more))
	}
	if len(unreached) > 0 {
		texts = append(texts, notReached+": "+names(unreached))
	}
	return strings.Join(texts, "; ")
}

// sentence tells of one that is not ready, with its name in front unless it is
// among the words.
func sentence(seen *verdict) string {
	switch {
	case seen.message == "":
		return seen.about + ": " + seen.reason
	case mentions(seen.message, seen.about):
		return seen.message
	}
	return seen.about + ": " + seen.message
}

// mentions reports whether a word of a text is name. A name with other characters
// than letters and digits in it is more than a word.
func mentions(text, name string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(char rune) bool {
		return !unicode.IsLetter(char) && !unicode.IsDigit(char)
	}), name)
}

// names lists the first of several.
func names(all []string) string {
	if more := len(all) - mostNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:mostNames], ", "), more)
	}
	return strings.Join(all, ", ")
}
