package reconcile

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// A Write is a request of a step that changes something, or of the pipeline, when
// it has been answered.
type Write struct {
	// Step is the name of the step, "" if the pipeline itself writes.
	Step string
	// Verb is the verb of the request as RBAC names it, or "apply".
	Verb string
	// Kind is the kind of what is written, with its group: "Deployment.apps".
	Kind string
	// Key is its name.
	Key client.ObjectKey
	// Cause is why it was sent.
	Cause Cause
	// Err is what came of it, nil if it was accepted.
	Err error
}

// wrote tells of a write, in the metrics, in the log at V(1), and to the tracer.
func (r *Run[T]) wrote(ctx context.Context, write Write) {
	if r.at != nil {
		write.Step = r.at.step
	}
	if write.Err == nil {
		writes.WithLabelValues(r.pipeline, write.Step, write.Kind, write.Verb, write.Cause.label()).Inc()
	} else {
		writeErrors.WithLabelValues(r.pipeline, write.Step, write.Kind, write.Verb, reasonLabel(write.Err)).Inc()
	}
	if r.env.Tracer != nil {
		r.env.Tracer.Write(ctx, write)
	}
	logger := log.FromContext(ctx).V(1)
	if !logger.Enabled() {
		return
	}
	if r.at != nil && !r.verbose { // otherwise the logger has it
		logger = logger.WithValues("step", write.Step)
	}
	logger = logger.WithValues("verb", write.Verb, "kind", write.Kind, "child", write.Key, "cause", string(write.Cause))
	if write.Err != nil {
		logger.Info("write failed", "err", write.Err.Error())
		return
	}
	logger.Info("wrote")
}

// kindLabel returns the kind of an object with its group, "" if nobody knows.
func (r *Run[T]) kindLabel(object client.Object) string {
	gvk, err := apiutil.GVKForObject(object, r.env.Client.Scheme())
	if err != nil {
		return ""
	}
	return gvk.GroupKind().String()
}

// reasonLabel returns the reason of an error if it is one of the API machinery's:
// admission webhooks may answer any other.
func reasonLabel(err error) string {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "Interrupted"
	}
	switch reason := apierrors.ReasonForError(err); reason {
	case metav1.StatusReasonUnauthorized, metav1.StatusReasonForbidden, metav1.StatusReasonNotFound,
		metav1.StatusReasonAlreadyExists, metav1.StatusReasonConflict, metav1.StatusReasonGone,
		metav1.StatusReasonInvalid, metav1.StatusReasonServerTimeout, metav1.StatusReasonTimeout,
		metav1.StatusReasonTooManyRequests, metav1.StatusReasonBadRequest, metav1.StatusReasonMethodNotAllowed,
		metav1.StatusReasonNotAcceptable, metav1.StatusReasonRequestEntityTooLarge,
		metav1.StatusReasonUnsupportedMediaType, metav1.StatusReasonInternalError, metav1.StatusReasonExpired,
		metav1.StatusReasonServiceUnavailable:
		return string(reason)
	}
	return otherLabel
}
