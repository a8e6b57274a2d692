package steptest

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
	"github.com/trueup-dev/trueup/testing/steptest/operator"
)

// A Case is one pass of an operator over given objects, in memory, and what is wanted
// of it: see [Case.Run]. It is for tables.
type Case struct {
	// Reason says what the case is about. It is part of each failure.
	Reason string
	// Kinds are what the API server serves. Required.
	Kinds *memory.Kinds
	// Setup adds the controllers to a manager, as in production. Required.
	Setup func(ctrl.Manager) error
	// Given are the objects that there are, with their status. Those without a
	// namespace are put into "demo".
	Given []client.Object
	// Unseen are objects of the kinds of which the cache shows none of what is given.
	Unseen []client.Object
	// Refuse are requests that are not let through, as [Request.String] tells them, each
	// with the code that answers them.
	Refuse map[string]int
	// Want is what is wanted.
	Want Want
}

// Want is what is wanted of a pass.
type Want struct {
	// Writes are the requests that change something, or would have, as [Request.String]
	// tells them.
	Writes []string
	// Events are those that are told, as [Events.All] tells them.
	Events []string
	// Conditions are those of the first object that is given, by their type, each as
	// "True Ready": the status and the reason. Those that are not named may be whatever.
	Conditions map[string]string
	// Error is a part of the error of the pass. Empty means that there is none.
	Error string
	// After is when the operator asked to look again, 0 for never. It is not looked at
	// if the pass failed.
	After time.Duration
	// Golden is a file with all objects as they are after the pass. It is written when
	// the test is run with -steptest.update. Defaults to none.
	Golden string
	// Restless says that a second pass over what the first has left may write
	// something. The default is that it must not.
	Restless bool
}

// Run makes the pass and compares. Time stands still meanwhile, at midnight on
// 1 January 2000 UTC, the clock of testing/synctest, so that times can be part of what
// is wanted.
func (c Case) Run(t *testing.T) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c.run(t)
	})
}

func (c Case) run(t *testing.T) {
	t.Helper()
	server := c.Kinds.NewServer()
	user := server.As("user")
	for _, object := range c.Given {
		if err := give(t.Context(), user, object); err != nil {
			t.Fatalf("%s: give %T: %v", c.Reason, object, err)
		}
	}
	requests, events := &Requests{}, &Events{}
	var failed []string
	o, err := operator.Start(t.Context(), operator.Options{
		Setup: c.Setup, Source: c.source(t, server), Kinds: c.Kinds, Recorder: events,
		Config: requests.Attach(c.refusing(server.Config())),
		Logged: func(err error, _ string) { failed = append(failed, err.Error()) },
	})
	if err != nil {
		t.Fatalf("%s: %v", c.Reason, err)
	}
	defer o.Stop()
	o.Pass()
	c.compare(t, server, requests, events, failed, o)
	if len(failed) > 0 || c.Want.Restless {
		return
	}
	requests.Reset()
	o.Cache().Sync()
	for range 2 {
		o.Pass()
	}
	if diff := cmp.Diff([]string{}, words(requests.Writes())); diff != "" {
		t.Errorf("%s: a second pass wrote (-want +got):\n%s", c.Reason, diff)
	}
}
