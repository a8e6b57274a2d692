package resources

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// refusal is what a step remembers of an apply that the server refused for
// good, so that it does not send the same again whenever something wakes it: the
// status that tells of the refusal does.
type refusal struct {
	hash        digest // of what was wanted
	version     string // of the child that it was wanted of, "" if there was none
	generation  int64  // of the owner
	annotations map[string]string
	err         error
}

// refused turns the server's answer to an apply into the outcome of the step.
func (s *slot[C]) refused(
	owner client.Object, want *intent[C], live *observation[C], err error,
) (reconcile.Result, error) {
	switch {
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return reconcile.Wait("NamespaceTerminating",
			fmt.Sprintf("%s is not created: its namespace is being deleted", want)), nil
	case isInvalid(err):
		err = reconcile.Terminal(err)
		s.refusal = &refusal{
			hash:        want.hash,
			version:     versionOf(live),
			generation:  owner.GetGeneration(),
			annotations: owner.GetAnnotations(),
			err:         err,
		}
	}
	return reconcile.Result{}, err
}

// isInvalid reports whether the same request can never succeed.
func isInvalid(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsRequestEntityTooLargeError(err)
}

// wasRefused returns the error of an apply that was refused for good, if nothing
// has changed since that could make a difference: what is wanted, the child, the
// owner's spec, and its annotations, by which a person can ask for another try.
func (s *slot[C]) wasRefused(owner client.Object, want *intent[C], live *observation[C]) error {
	last := s.refusal
	if last == nil {
		return nil
	}
	if last.hash == want.hash && last.version == versionOf(live) &&
		last.generation == owner.GetGeneration() &&
		maps.Equal(last.annotations, owner.GetAnnotations()) {
		return last.err
	}
	s.refusal = nil
	return nil
}

// versionOf returns the resourceVersion of a child, "" if there is none.
func versionOf[C client.Object](child *observation[C]) string {
	if child == nil {
		return ""
	}
	return child.shared.GetResourceVersion()
}
