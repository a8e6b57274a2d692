package resources

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/reconcile"
)

// The reasons of the conditions and events that tell of a refused request, beside
// those of the API server itself. Together they say who has to do something:
//
//	Forbidden        whoever gives the operator its permissions
//	QuotaExceeded    whoever sets the quota of the namespace, or uses it up
//	Denied           whoever wrote the admission policy or webhook, or the spec
//	WebhookFailed    whoever runs the admission webhook
//	Invalid          the author of the operator, or of the spec
//	TooLarge         the same
//	Conflict         nobody: it is tried again
//	TooManyRequests  nobody: it is tried again
const (
	reasonQuotaExceeded = "QuotaExceeded"
	reasonDenied        = "Denied"
	reasonWebhookFailed = "WebhookFailed"
	reasonInvalid       = "Invalid"
	reasonTooLarge      = "TooLarge"
)

// requestError is what became of a request, in words that are to be read behind
// the name of the step.
type requestError struct {
	verb, object string
	err          error
}

// Error tells the server's words, without what names the object again.
func (e *requestError) Error() string {
	return fmt.Sprintf("%s %s: %s", e.verb, e.object, wordsOf(e.err))
}

func (e *requestError) Unwrap() error { return e.err }

// refusalOf wraps the server's answer to a request for an object.
func refusalOf(verb string, object fmt.Stringer, err error) error {
	return reasoned(err, &requestError{verb: verb, object: object.String(), err: err})
}

// reasoned gives what is told of the server's answer the reason that it has.
func reasoned(err, told error) error {
	if reason := reasonOf(err); reason != "" {
		return reconcile.WithReason(reason, told)
	}
	return told
}

// wordsOf returns the server's words, without the kind and name of the object
// that many begin with: `Deployment.apps "web" is invalid: spec.replicas: …`.
func wordsOf(err error) string {
	text := err.Error()
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return text
	}
	kind, words, ok := strings.Cut(text, fmt.Sprintf(" %q is ", status.Status().Details.Name))
	if !ok || strings.Contains(kind, " ") {
		return text
	}
	return words
}

// reasonOf returns a reason that says more than the server's code, "" if there is
// none: one code stands for what quite different people have to mend.
func reasonOf(err error) string {
	text := err.Error()
	switch {
	case isDenied(err):
		return reasonDenied
	case apierrors.IsForbidden(err) && (strings.Contains(text, "exceeded quota: ") || strings.Contains(text, "failed quota: ")):
		return reasonQuotaExceeded
	case strings.Contains(text, "failed calling webhook"):
		return reasonWebhookFailed
	case isTooLarge(err):
		return reasonTooLarge
	case isInvalid(err):
		return reasonInvalid
	}
	return ""
}

// causes returns what the API server says is wrong, field by field.
func causes(err error) []metav1.StatusCause {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	return status.Status().Details.Causes
}
