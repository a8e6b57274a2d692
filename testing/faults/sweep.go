package faults

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// A Sweep is a scenario that is gone through once undisturbed and then again for
// everything that can go wrong in it: see [Sweep.Run].
type Sweep struct {
	// Kinds are what the API server serves. Required.
	Kinds *memory.Kinds
	// New returns the operator, and what it works on outside of the cluster, made anew
	// for each run. Required.
	New func() Subject
	// Given are the objects that there are before the operator is started. They are put
	// into the namespace of the run, and should name none.
	Given []client.Object
	// Changes are what users do, in order, each when nothing is left to be done unless
	// it says otherwise.
	Changes []Change
	// Actors are who else works on the objects. Defaults to the garbage collector and
	// the controllers of workloads.
	Actors []memory.Actor
	// Ignore takes out of an object what may be different at the end of two runs, before
	// they are compared. What differs between any two runs, such as UIDs and times, is
	// out already. Defaults to nothing.
	Ignore func(*unstructured.Unstructured)
	// Sample is how many of the schedules of one fault are run, drawn by Seed, as evenly
	// of each kind as there are. Defaults to all.
	Sample int
	// Pairs is how many schedules of two faults there are besides those of one. They
	// are drawn by Seed. Defaults to none.
	Pairs int
	// Seed draws the sample and the pairs, unless the tests are run with -faults.seed.
	Seed uint64
}

// A Subject is an operator to be put to the test.
type Subject struct {
	// Setup adds its controllers to a manager, as in production. It is called again
	// when the process is started again, and must give a new one each time. Required.
	Setup func(ctrl.Manager) error
	// Outside returns what there is outside of the cluster, to compare at the end.
	// Defaults to nothing.
	Outside func() any
	// Always holds at every moment: it is looked at whenever a request is sent and when
	// a pass is over.
	Always []Invariant
}

// An Invariant is what holds at every moment.
type Invariant struct {
	// Name says what holds, and is how a violation is called.
	Name string
	// Holds returns an error if it does not.
	Holds func(State) error
}

// A Change is something that a user does.
type Change struct {
	// Name says what.
	Name string
	// Do does it. The client works in the namespace of the run.
	Do func(ctx context.Context, user client.Client) error
	// Early says that it is done while the operator is still at work on the change
	// before: after its first pass.
	Early bool
}

// actors returns who else works on the objects.
func (s *Sweep) actors() []memory.Actor {
	if s.Actors == nil {
		return []memory.Actor{memory.GarbageCollector, memory.Workloads}
	}
	return s.Actors
}

// limit is how many passes a change may take. One that is followed by so many does
// not end.
const limit = 150

// patience is how long a run waits for the next pass that was asked for, at most. In
// memory it costs no time.
const patience = time.Hour
