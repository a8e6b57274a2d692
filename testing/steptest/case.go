package steptest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
)

// A Case is a pass of an operator over given objects, and what is wanted of it, and the
// passes that follow: see [Case.Run]. It is for tables. One that cannot fail, because it
// leads to no pass or has requests be refused that are not sent, fails.
type Case struct {
	// Reason says what the case is about. It is part of each failure.
	Reason string
	// Kinds are what the API server serves. Required.
	Kinds *memory.Kinds
	// Setup adds the controllers to a manager, as in production: of pipelines of this
	// module, or of a Reconcile written by hand. Required.
	Setup func(ctrl.Manager) error
	// Given are the objects that there are, with their status. Those without a
	// namespace are put into "demo". The UIDs that they have are made up: an owner
	// reference to one is made one to the object that has it here. Those with a
	// deletionTimestamp are being deleted, since the case began, and need a finalizer.
	Given []client.Object
	// Stale are objects as the cache has them in the first pass. It shows them so
	// instead of as they are given; those that are not given are gone. Before the next
	// pass the cache has caught up. The cache must be one that shows their kinds.
	Stale []client.Object
	// Unseen are objects of the kinds of which the cache shows none of what is given,
	// until it is changed. Something must be given of each, and the cache show the kind.
	Unseen []client.Object
	// Refuse are requests that are not let through, as [Request.String] tells them, each
	// with the code that answers them. Each must be sent in the course of the case.
	Refuse map[string]int
	// Fail are requests that fail some times, from the beginning on. All of it must come
	// to pass in the course of the case.
	Fail []Failure
	// Want is what is wanted of the first pass.
	Want Want
	// Then are what comes after it, one after the other.
	Then []Next
}

// Next is what comes after a pass. Each begins when all that followed from what was
// written before is done: passes that must send nothing, see [Want.Restless], and
// [Next.Behind] for what begins earlier.
type Next struct {
	// Do is done by a user, whose client works in the namespace of the case. Defaults to
	// nothing.
	Do func(ctx context.Context, user client.Client) error
	// Wait is how much time goes by then. Defaults to none.
	Wait time.Duration
	// Fail are requests that fail some times, from then on. All of it must come to pass in
	// the course of the case.
	Fail []Failure
	// Behind are objects of the kinds of which the cache does not show yet, in this pass,
	// what was done since the pass before it began, by the operator itself or by the user
	// of Do. There must be something. What follows from the pass before is not waited for
	// then, and if nothing wakes the operator the object of that pass is looked at again.
	// After this pass the cache has caught up.
	Behind []client.Object
	// Idle says that there is no pass then. The default is that there is one.
	Idle bool
	// Want is what is wanted of the pass.
	Want Want
}

// Want is what is wanted of a pass.
type Want struct {
	// Writes are the requests that change something, or would have, as [Request.String]
	// tells them, in the order in which they are sent. Those that are sent at the same
	// time, by steps that run at the same time, are in the order of these texts. Empty or
	// nil means that there is none.
	Writes []string
	// Events are those that are told, as [Events.All] tells them, in that order. Empty or
	// nil means that there is none.
	Events []string
	// Conditions are those of the first object that is given, by their type, each as
	// "True Ready": the status and the reason. Those that are not named may be whatever.
	// Something must be given.
	Conditions map[string]string
	// Error is a part of the error of the pass. Empty means that there is none.
	Error string
	// Terminal says that the error is not retried. There must be one. The default is that
	// it is.
	Terminal bool
	// After is when the operator asked to look again, 0 for never. After an error that is
	// retried it is how long the controller waits before it does, and 0 says nothing.
	After time.Duration
	// Objects are those that there are after the pass, as far as they are told here: what
	// is left out may be whatever. Defaults to none, which says nothing.
	Objects []client.Object
	// Gone are objects that there are not any more.
	Gone []client.Object
	// Golden is a file with all objects as they are after the pass. It is written when
	// the test is run with -steptest.update. Defaults to none.
	Golden string
	// Restless says that a second pass over what this one has left may send requests, tell
	// events and fail. The default is that it must not: it must not even read live, or try
	// a dry run. The passes that this one woke are second ones, and one more is made that
	// nothing has to wake. None is looked at after a pass that failed.
	Restless bool
}

// Run makes the passes and compares, with an API server in memory. Time stands still
// meanwhile, at midnight on 1 January 2000 UTC, the clock of testing/synctest, and goes
// on by what [Next] waits, so that times can be part of what is wanted.
//
// Requests take turns, so that a case gives the same each time: one that is sent while
// another is waits until nothing goes on any more without it. A lock must not be held
// while a request is sent if another goroutine waits for it meanwhile.
func (c Case) Run(t *testing.T) {
	t.Helper()
	for _, wrong := range c.check(t) {
		t.Errorf("%s: %s", c.Reason, wrong)
	}
}

// RunOn is [Case.Run] with a real API server, which has to serve the kinds, in a
// namespace that has to be empty. What is wanted is told as if it were "demo", and
// nothing else is different in it:
//
//   - Time goes by: what asked to be looked at in the time that [Next] waits is looked
//     at at once, and After may be some seconds less.
//   - Golden files are not written, and the addresses of Services are not compared.
//   - In which order writes are sent and events are told is not compared.
//   - The cache shows only kinds that are watched or given: what is only read there is
//     told as a fault.
//   - Nobody is waited for: if there are controllers, what they do may come at any time.
func (c Case) RunOn(t *testing.T, config *rest.Config, namespace string) {
	t.Helper()
	for _, wrong := range c.checkOn(t, config, namespace) {
		t.Errorf("%s: %s", c.Reason, wrong)
	}
}

// check returns what is wrong.
func (c Case) check(t *testing.T) (wrong []string) {
	t.Helper()
	c.required(t)
	synctest.Test(t, func(t *testing.T) {
		server := c.Kinds.NewServer()
		b := &bench{
			Case: c, t: t, ground: server, namespace: given, user: server.As("user"),
			caughtUp: func() {}, wait: func(wait time.Duration, _ bool) { <-time.After(wait) },
		}
		b.run()
		wrong = b.wrong
	})
	return wrong
}
