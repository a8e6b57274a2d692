package reconcile

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// An Environment is what steps work with: the clients of a cluster and what
// goes with them. One is shared by all passes and never changes after setup.
type Environment struct {
	// Client writes, and reads typed objects from the cache as the manager's
	// client does. Required.
	Client client.Client

	// Live reads past the cache, where it has to be certain what is there: after
	// a conflict, and before something is taken for gone. It is the manager's
	// GetAPIReader. Defaults to Client, which is right only if that has no cache.
	Live client.Reader

	// Cache reads unstructured objects from the cache, which a manager's client
	// by default does not. It is the manager's GetCache.
	// Defaults to Client.
	Cache client.Reader

	// Recorder takes the events that a person cares about.
	// Defaults to none: events are dropped.
	Recorder events.EventRecorder

	// FieldManager is the name under which steps apply. It must stay the same
	// over the versions of an operator, because the fields that it owns are found
	// by it. Defaults to the pipeline's name.
	FieldManager string

	// Memory is what steps remember between passes. Pipelines may share one.
	// Defaults to a new one at setup.
	Memory *Memory

	// Tracer is told what passes and steps do: see package tracing.
	// Defaults to none.
	Tracer Tracer

	// Altered is called when a step has changed what is not its own to change: the
	// object of the pass, beside its status, or what it has been lent by the cache,
	// with [Run.Original] or [Run.Peek]. It is given the step and the object as it was
	// and as it is. Of steps that run at the same time it may be given another one. It
	// is for tests: everything is copied, and compared after each step.
	// Defaults to none: nothing is compared.
	Altered func(step string, was, is client.Object)

	// Clock tells the time. Defaults to the real one.
	Clock clock.PassiveClock
}

// EnvironmentOf returns the environment that a manager offers to a controller
// of the given name, which is the name on its events. Of a nil manager it is the zero
// Environment, which is refused wherever one is needed.
func EnvironmentOf(mgr ctrl.Manager, name string) Environment {
	if isNil(mgr) {
		return Environment{}
	}
	return Environment{
		Client:   mgr.GetClient(),
		Live:     mgr.GetAPIReader(),
		Cache:    mgr.GetCache(),
		Recorder: mgr.GetEventRecorder(name),
		Memory:   NewMemory(),
	}
}

// withDefaults returns the environment with every field set, for a pipeline or
// a controller of the given name.
func (e Environment) withDefaults(name string) (*Environment, error) {
	if e.Client == nil {
		return nil, errors.New("environment: Client is required")
	}
	if e.Live == nil {
		e.Live = e.Client
	}
	if e.Cache == nil {
		e.Cache = e.Client
	}
	if e.FieldManager == "" {
		e.FieldManager = name
	}
	if len(e.FieldManager) > 128 {
		return nil, errors.New("environment: FieldManager: must be no more than 128 characters, as the API server demands")
	}
	if e.Memory == nil {
		e.Memory = NewMemory()
	}
	if e.Clock == nil {
		e.Clock = clock.RealClock{}
	}
	return &e, nil
}

// peek reads from the cache without copying.
func (e *Environment) peek(ctx context.Context, key client.ObjectKey, into client.Object) error {
	var reader client.Reader = e.Client
	if _, ok := into.(runtime.Unstructured); ok {
		reader = e.Cache
	}
	return reader.Get(ctx, key, into, withoutCopy...)
}

// withoutCopy is made once, not in every read.
var withoutCopy = []client.GetOption{client.UnsafeDisableDeepCopy}

// now returns the time of the environment's clock.
func (e *Environment) now() time.Time { return e.Clock.Now() }
