package steptest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/steptest/memory"
	"github.com/trueup-dev/trueup/testing/steptest/operator"
)

// given is the namespace of cases, as they tell it.
const given = "demo"

// ground is where a case takes place.
type ground interface {
	memory.Cluster
	operator.Source
	Config() *rest.Config
}

// bench is a case that is run.
type bench struct {
	Case
	t         *testing.T
	ground    ground
	namespace string
	user      client.Client
	real      bool
	kinds     []schema.GroupVersionKind            // that a real API server is asked for
	waited    time.Duration                        // since the last pass, where it was not really waited
	caughtUp  func()                               // waits until the ground has heard of all that was done
	wait      func(wait time.Duration, until bool) // lets time go by, until the next pass

	requests *Requests
	events   *Events
	failed   []string
	operator *operator.Operator
	wrong    []string

	mu       sync.Mutex
	refused  map[string]bool // what was, of what is to be
	failures []*failing
}

func (b *bench) fault(format string, args ...any) {
	b.wrong = append(b.wrong, fmt.Sprintf(format, args...))
}

func (b *bench) run() {
	b.t.Helper()
	from := b.give()
	b.requests, b.events, b.refused = &Requests{}, &Events{}, map[string]bool{}
	b.expect(b.Fail)
	options := operator.Options{
		Setup: b.Setup, Source: b.source(), Kinds: b.Kinds, Recorder: b.events, From: from,
		Config: b.requests.Attach(b.refusing(b.ground.Config())),
		Logged: func(err error, _ string) { b.failed = append(b.failed, err.Error()) },
	}
	if !b.real {
		options.Turn = Turn
	}
	started, err := operator.Start(b.t.Context(), options)
	if err != nil {
		b.t.Fatalf("%s: %v", b.Reason, err)
	}
	b.operator = started
	defer b.operator.Stop()
	_, passed := b.operator.Pass()
	if !passed && len(b.Then) == 0 {
		b.fault("there is no pass: nothing that is given wakes a controller")
	}
	b.compare(b.Want)
	if len(b.Then) == 0 || len(b.Then[0].Behind) == 0 {
		b.quiet(b.Want, passed)
	}
	for i, next := range b.Then {
		before := len(b.wrong)
		b.next(next, i+1 < len(b.Then) && len(b.Then[i+1].Behind) > 0)
		for at := before; at < len(b.wrong); at++ {
			b.wrong[at] = fmt.Sprintf("then, %d: %s", i+1, b.wrong[at])
		}
	}
	b.idle()
}

// next does what comes next. After it comes a pass that does not see it, or what is quiet.
func (b *bench) next(next Next, unseen bool) {
	b.t.Helper()
	b.reset()
	b.expect(next.Fail)
	b.behind(next.Behind)
	if next.Do != nil {
		if err := next.Do(b.t.Context(), client.NewNamespacedClient(b.user, b.namespace)); err != nil {
			b.fault("what a user does: %v", err)
		}
	}
	b.sync()
	if next.Wait > 0 {
		b.wait(next.Wait, !next.Idle)
	}
	if len(next.Behind) > 0 && b.operator.Waiting() == 0 {
		b.operator.Again()
	}
	_, passed := b.operator.Pass()
	if passed == next.Idle {
		b.fault("there is a pass: %t, want %t", passed, !next.Idle)
	}
	b.compare(next.Want)
	b.release(next.Behind)
	if !unseen {
		b.quiet(next.Want, passed)
	}
}

// reset forgets what a pass has done.
func (b *bench) reset() {
	b.requests.Reset()
	b.events.Reset()
	b.failed = nil
}

// sync lets the cache show all that it may.
func (b *bench) sync() {
	b.caughtUp()
	b.operator.Cache().Sync()
}
