package resources

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Readiness says whether an object does what it was made for, and if not, why.
// The zero value is not ready, for no reason that is known.
//
// What [ReadinessOf] says, and with it every step that is given no test of its
// own, goes by the kind. Typed and unstructured objects of a built-in kind are
// judged alike. An object that is being deleted is not ready, and nor is one
// whose controller has not seen its latest generation.
//
//	Deployment               all pods are up to date and available, and no other is left; Failed past
//	                         its progress deadline. Paused counts only while there is something to roll out.
//	StatefulSet              the same by readiness of pods, down to the partition; with OnDelete,
//	                         where it is for others to replace pods, also by pods of older versions
//	DaemonSet                a pod that is up to date is available on each node; with OnDelete, any pod
//	ReplicaSet               all pods are available, and no other is left
//	Pod                      it is Ready or has succeeded; Failed when it has failed or keeps crashing
//	Job                      it is complete; Failed when it has failed
//	Service                  it exists; a load balancer has an address
//	Ingress                  it has an address (not all ingress controllers say one: give those another test)
//	HorizontalPodAutoscaler  it can scale what it is for, or has been switched off by scaling that to 0
//	PersistentVolumeClaim    it is bound and as large as it asks to be; Failed when the volume is lost or
//	                         cannot grow. With WaitForFirstConsumer it is bound only when a pod uses it,
//	                         so in a sequence it must come after what makes the pods, or have another test.
//	PodDisruptionBudget      it is in force
//	CustomResourceDefinition it is established; Failed when its names are refused
//	APIService               it is available
//	other built-in kinds     they exist
//
// Any other object says it itself, as kstatus has it: it is not ready while it
// has a condition Ready that is not True or a condition Reconciling, and is
// Failed with a condition Stalled. Conditions that are about an older generation
// do not count, and if none is left, or Ready is not, its controller has yet to
// look at it. An object that has no conditions at all is ready, with one exception:
// if its Go type has status.conditions or status.observedGeneration, its
// controller is expected to fill them in. An unstructured object has no such type
// to tell: it is ready as soon as it exists, so one whose controller takes its
// time needs another test, such as [ReadyCondition].
type Readiness struct {
	// Ready says that the child does what it was made for, at its latest
	// generation.
	Ready bool
	// Failed says that the child will hardly become ready by itself: somebody has
	// to change or mend something. It means nothing for a child that is ready.
	Failed bool
	// Reason is a CamelCase word. Defaults to "NotReady".
	Reason string
	// Message is a sentence for people, without text that changes from pass to
	// pass. Defaults to saying that the child is not ready.
	Message string
}

// complete fills in what was left out.
func (r Readiness) complete() Readiness {
	if r.Ready {
		return Readiness{Ready: true}
	}
	if r.Reason == "" {
		r.Reason = "NotReady"
	}
	if r.Message == "" {
		r.Message = "not ready"
	}
	return r
}

// ReadinessOf judges an object by its kind, as the table at [Readiness] says. It
// is what steps do that are given no test of their own, and may be called by a
// test that wants more than that. The object is not changed.
func ReadinessOf[C client.Object](object C) Readiness {
	if !object.GetDeletionTimestamp().IsZero() {
		return notReady("Terminating", "it is being deleted")
	}
	if rule, ok := ruleFor(object); ok {
		return rule.judge(object).complete()
	}
	return customReadiness(object).complete()
}

// readinessOf is [ReadinessOf] for a kind of child.
func readinessOf[C client.Object](child C) Readiness { return ReadinessOf(child) }

func notReady(reason, format string, args ...any) Readiness {
	return Readiness{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

func failed(reason, format string, args ...any) Readiness {
	return Readiness{Failed: true, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

var ready = Readiness{Ready: true}

// unseen says that a status is about an older generation, or about none.
var unseen = notReady("LatestGenerationNotObserved", "its controller has not seen its latest generation yet")

// because returns what follows a sentence that another message explains.
func because(message string) string {
	if message == "" {
		return ""
	}
	return ": " + message
}
