// Package world is where the field cases take place: a namespace of a real API
// server, an operator that makes its passes one by one when it is told to, the
// people and controllers around it, and a clock that stands still.
//
// What the operator reads from its cache is read from the server, so that the
// cache is never behind unless a case says so ([World.Stale]); what it sends goes
// to the server and is counted. A pass that changes something, and whatever
// anybody else does, queues the next one, as watches would ([World.Settle]).
package world

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/trueup-dev/trueup/testing/fieldcases/internal/api/v1"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// World is what one run of one case works in. Its methods are for one goroutine.
type World struct {
	// Namespace is where everything is.
	Namespace string
	// Elsewhere makes another namespace.
	Elsewhere func() string
	// User is somebody else's client: it has no cache and is not counted.
	User client.Client
	// Clock is the operator's.
	Clock *testclock.FakePassiveClock
	// Requests is what the operator has sent since the last [World.Mark].
	Requests *steptest.Requests
	// Events is what it has told since then.
	Events *steptest.Events
	// Registry is the external system.
	Registry *Registry
	// Operator is the running process of the operator.
	Operator *Process
	// Naive says that the handwritten reconciler runs.
	Naive bool

	t       testing.TB
	config  *rest.Config
	scheme  *runtime.Scheme
	build   Build
	version int
	view    view
	rules   rules
	apps    []*App

	mu      sync.Mutex
	changed bool     // somebody has changed something since the last pass began
	seen    versions // resourceVersions that writes were answered with
	busy    bool     // a pass is going on
	over    bool     // a fault was enough
	enough  func(fault string) bool
	effects []string
	faults  []string
	traced  []string
}

// Build makes the reconciler of a process of the operator.
type Build func(*Process) (ctrlreconcile.Reconciler, error)

// stopped is what ends a run early.
type stopped struct{}

// Run runs a case in a new world and returns what went against its expectations, up
// to the first fault that is enough, if that is given.
func Run(
	t *testing.T, config *rest.Config, namespace func() string, build Build, body func(*World), enough func(fault string) bool,
) (faults []string) {
	t.Helper()
	w := &World{
		Namespace: namespace(),
		Elsewhere: namespace,
		Clock:     testclock.NewFakePassiveClock(time.Now().Truncate(time.Second)),
		Requests:  &steptest.Requests{KeepBodies: true},
		Events:    &steptest.Events{},
		Naive:     enough != nil,
		enough:    enough,
		t:         t,
		scheme:    newScheme(t),
		build:     build,
		version:   1,
		seen:      versions{},
	}
	w.config = rest.CopyConfig(config)
	w.config.ContentType = runtime.ContentTypeJSON // so that what is sent can be looked into
	w.Registry = newRegistry(w)
	w.User = w.client(w.watched)
	w.view.init(w)
	w.start()
	defer func() {
		if recovered := recover(); recovered != nil {
			if _, ok := recovered.(stopped); !ok {
				panic(recovered)
			}
		}
		faults = w.faults
		if len(faults) > 0 && enough == nil {
			t.Log(strings.Join(w.traced, "\n"))
		}
	}()
	body(w)
	return w.faults
}

func newScheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}

// Context is that of the test.
func (w *World) Context() context.Context { return w.t.Context() }

// Config is an administrator's.
func (w *World) Config() *rest.Config { return rest.CopyConfig(w.config) }

// Scheme knows all kinds that there are.
func (w *World) Scheme() *runtime.Scheme { return w.scheme }

// TB is the test, for what is not an expectation of the case.
func (w *World) TB() testing.TB { return w.t }

// Must ends the test on an error that has nothing to do with the operator.
func (w *World) Must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// trace notes what goes on, to be told with faults.
func (w *World) trace(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.traced = append(w.traced, fmt.Sprintf(format, args...))
}

// Fault notes that an expectation of the case is not met.
func (w *World) Fault(format string, args ...any) {
	w.mu.Lock()
	fault := fmt.Sprintf(format, args...)
	w.faults = append(w.faults, fault)
	w.over = w.over || w.enough != nil && w.enough(fault)
	w.mu.Unlock()
	w.endIfOver()
}

// endIfOver ends the run if a fault was enough, once no pass is going on.
func (w *World) endIfOver() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over && !w.busy {
		panic(stopped{})
	}
}

// working says whether a pass is going on.
func (w *World) working(busy bool) {
	w.mu.Lock()
	w.busy = busy
	w.mu.Unlock()
	w.endIfOver()
}

// Stop notes it too and ends the run, because there is no going on.
func (w *World) Stop(format string, args ...any) {
	w.Fault(format, args...)
	panic(stopped{})
}

// Expect notes a fault unless ok.
func (w *World) Expect(ok bool, format string, args ...any) {
	if !ok {
		w.Fault(format, args...)
	}
}
