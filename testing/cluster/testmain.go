package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// deadlineMargin is how long before a test's deadline a start gives up, so that
// the test can still say why.
const deadlineMargin = 10 * time.Second

// shared is the cluster that the tests of a package share.
var shared struct {
	mu         sync.Mutex
	configured bool
	options    Options
	cluster    *Cluster
	err        error
}

// Main is for TestMain: it runs the tests of a package, which may share one
// cluster with these options through [Shared], stops the cluster if any test
// has started it, and exits with the code of the tests, or 1 when a component
// of the cluster failed meanwhile.
//
//	func TestMain(m *testing.M) { cluster.Main(m, cluster.Full()) }
func Main(m interface{ Run() int }, options Options) {
	os.Exit(runTests(m, options))
}

func runTests(m interface{ Run() int }, options Options) int {
	shared.mu.Lock()
	shared.configured, shared.options = true, options
	shared.mu.Unlock()

	code := m.Run()

	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.cluster == nil {
		return code
	}
	if err := errors.Join(shared.cluster.Err(), shared.cluster.Stop()); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "trueup: the shared cluster: %v\n", err)
		return max(code, 1)
	}
	return code
}

// Shared returns the cluster of the package, which [Main] must have been told
// the options of, and starts it for the first test that asks. Each package has
// a cluster of its own. A cluster that does not start, or of which a component
// has failed meanwhile, fails the test.
//
// Tests share all that is not in a namespace, so give cluster-scoped objects
// names of their own, and take a namespace from [Cluster.Namespace].
func Shared(t testing.TB) *Cluster {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	switch {
	case !shared.configured:
		t.Fatal("cluster.Shared: the package has no TestMain that calls cluster.Main")
	case shared.cluster == nil && shared.err == nil:
		ctx, cancel := testContext(t)
		defer cancel()
		shared.cluster, shared.err = Start(ctx, shared.options)
	}
	if shared.err != nil {
		t.Fatalf("cluster.Shared: %v", shared.err)
	}
	if err := shared.cluster.Err(); err != nil {
		t.Fatalf("cluster.Shared: %v", err)
	}
	return shared.cluster
}

// testContext returns a context that ends shortly before the test's deadline.
func testContext(t testing.TB) (context.Context, context.CancelFunc) {
	if test, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := test.Deadline(); ok {
			return context.WithDeadline(context.Background(), deadline.Add(-deadlineMargin))
		}
	}
	return context.WithCancel(context.Background())
}
