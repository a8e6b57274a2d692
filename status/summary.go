package status

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/reconcile"
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
	if text := sentences(verdicts, sentence); text != "" {
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
	sum.message = "deletion waits for " + sentences(verdicts, named)
	return sum
}

// most is how many steps a summary speaks of, and how many it lists by name.
const (
	mostSentences = 10
	mostNames     = 3
)

// sentences tells of all that is not ready: in order, and at the end, in one
// sentence, of what was not reached.
func sentences(verdicts []verdict, tell func(*verdict) string) string {
	var texts, unreached []string
	for i := range verdicts {
		seen := &verdicts[i]
		switch {
		case seen.status == metav1.ConditionTrue:
		case seen.message == notReached:
			unreached = append(unreached, seen.about)
		default:
			texts = append(texts, tell(seen))
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

// sentence tells of one that is not ready.
func sentence(seen *verdict) string {
	return reconcile.Report{Step: seen.about, Reason: seen.reason, Message: seen.message}.Sentence()
}

// named tells of a step by its name, and why.
func named(seen *verdict) string { return seen.about + ": " + seen.message }

// names lists the first of several.
func names(all []string) string {
	if more := len(all) - mostNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(all[:mostNames], ", "), more)
	}
	return strings.Join(all, ", ")
}
