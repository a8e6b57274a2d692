package resources

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// refusal is what a step remembers of an apply that the server refused and would
// refuse again, so that it does not send the same whenever something wakes it: the
// status that tells of the refusal does.
type refusal struct {
	hash        digest // of what was wanted
	version     string // of the child that it was wanted of, "" if there was none
	generation  int64  // of the owner
	annotations map[string]string
	until       time.Time // when to try again all the same, zero for never

	result reconcile.Result
	err    error
}

// refused turns the server's answer to an apply into the outcome of the step.
func (s *slot[C]) refused(
	owner client.Object, want *intent[C], live *observation[C], now time.Time, err error,
) (reconcile.Result, error) {
	last := &refusal{
		hash:        want.hash,
		version:     versionOf(live),
		generation:  owner.GetGeneration(),
		annotations: owner.GetAnnotations(),
	}
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		// The owner's own namespace takes the owner with it. Another one may come
		// back, of which nothing tells.
		last.until = now.Add(pollInterval)
		last.result = reconcile.Wait("NamespaceTerminating",
			fmt.Sprintf("%s is not created: its namespace is being deleted", want))
		if want.key.Namespace != owner.GetNamespace() {
			last.result = last.result.After(pollInterval)
		}
	case isNamespaceMissing(err):
		last.until = now.Add(lookForKind)
		last.result = reconcile.Wait("NamespaceNotFound",
			fmt.Sprintf("%s is not created: there is no namespace %s", want, want.key.Namespace)).After(lookForKind)
	case isInvalid(err) || isTooLarge(err):
		last.err = reconcile.Terminal(err)
	default:
		return reconcile.Result{}, err
	}
	s.trouble(func(t *troubles) { t.refusal = last })
	return last.result, last.err
}

// isInvalid reports whether the same request can never succeed: the server has
// named the fields that are wrong, or cannot make sense of it. A denial by an
// admission policy or webhook is something else, though it may come with the same
// code: it can be lifted, and nothing tells when.
func isInvalid(err error) bool {
	switch {
	case isDenied(err):
		return false
	case apierrors.IsInvalid(err):
		return namesFields(err)
	case apierrors.IsBadRequest(err):
		return true
	}
	// The server calls this its own error, but two items with one key stay two.
	text := err.Error()
	return strings.Contains(text, "failed to create typed patch object") && strings.Contains(text, "duplicate entries for key")
}

// isTooLarge reports whether the server, its store, or its connection to the
// store does not take in a request of that size. The last two come as errors of
// the server's own.
func isTooLarge(err error) bool {
	text := err.Error()
	return apierrors.IsRequestEntityTooLargeError(err) ||
		strings.Contains(text, "etcdserver: request is too large") ||
		strings.Contains(text, "trying to send message larger than max")
}

// isNamespaceMissing reports whether an object was not created because the
// namespace that it would be in is not there.
func isNamespaceMissing(err error) bool {
	var status apierrors.APIStatus
	return apierrors.IsNotFound(err) && errors.As(err, &status) &&
		status.Status().Details != nil && status.Status().Details.Kind == "namespaces"
}

// isImmutable reports whether an apply may have been refused because a field
// cannot be changed: creating the object anew is the only other way.
func isImmutable(err error) bool {
	return apierrors.IsInvalid(err) && namesFields(err) && !isDenied(err)
}

// namesFields reports whether the server has said of every fault which field it
// is in, as validation does and admission does not.
func namesFields(err error) bool {
	faults := causes(err)
	for _, fault := range faults {
		if fault.Field == "" {
			return false
		}
	}
	return len(faults) > 0
}

// isDenied reports whether admission has denied a request.
func isDenied(err error) bool {
	text := err.Error()
	return strings.Contains(text, "denied the request") || strings.Contains(text, "denied request") ||
		strings.Contains(text, "violates PodSecurity")
}

// wasRefused returns the refusal of an apply if nothing has changed since that
// could make a difference: what is wanted, the child, the owner's spec, and its
// annotations, by which a person can ask for another try.
func (s *slot[C]) wasRefused(owner client.Object, want *intent[C], live *observation[C], now time.Time) *refusal {
	last := s.troubles().refusal
	if last == nil {
		return nil
	}
	if last.hash == want.hash && last.version == versionOf(live) &&
		last.generation == owner.GetGeneration() &&
		maps.Equal(last.annotations, owner.GetAnnotations()) &&
		(last.until.IsZero() || now.Before(last.until)) {
		return last
	}
	s.trouble(func(t *troubles) { t.refusal = nil })
	return nil
}

// versionOf returns the resourceVersion of a child, "" if there is none.
func versionOf[C client.Object](child *observation[C]) string {
	if child == nil {
		return ""
	}
	return child.shared.GetResourceVersion()
}
