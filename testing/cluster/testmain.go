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

// sharing is the cluster that the tests of a package share.
type sharing struct {
	mu         sync.Mutex
	configured bool
	options    Options
	cluster    *Cluster
	err        error
}

// shared is there once in a test binary, which is to say for each package.
var shared sharing

// Main is for TestMain: it runs the tests of a package, which may share one
// cluster with these options through [Shared], stops the cluster if any test
// has started it, and exits with the code of the tests, or with 1 when they
// passed and a component of the cluster has failed.
//
//	func TestMain(m *testing.M) { cluster.Main(m, cluster.Full()) }
//
// Where nobody has told controller-runtime where to log to within its first 25
// seconds, Main has it discard its logs, as it would do by itself five seconds
// later, but with a page of complaints among the output of the tests.
func Main(m interface{ Run() int }, options Options) {
	stop := discardLogsLater()
	code := shared.run(m, options)
	stop()
	os.Exit(code)
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
	ctx, cancel := testContext(t)
	defer cancel()
	c, err := shared.get(ctx)
	if err != nil {
		t.Fatalf("shared cluster: %v", err)
	}
	return c
}

func (s *sharing) run(m interface{ Run() int }, options Options) int {
	s.mu.Lock()
	s.configured, s.options = true, options
	s.mu.Unlock()

	code := m.Run()

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cluster == nil {
		return code
	}
	if err := errors.Join(s.cluster.Err(), s.cluster.Stop()); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "trueup: shared cluster: %v\n", err)
		return max(code, 1)
	}
	return code
}

func (s *sharing) get(ctx context.Context) (*Cluster, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.configured {
		return nil, errors.New("the package has no TestMain that calls cluster.Main")
	}
	if s.cluster == nil && s.err == nil {
		s.cluster, s.err = Start(ctx, s.options)
	}
	if s.err != nil {
		return nil, s.err
	}
	return s.cluster, s.cluster.Err()
}

// testContext returns a context that ends shortly before the test's deadline.
func testContext(t testing.TB) (context.Context, context.CancelFunc) {
	t.Helper()
	if test, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if deadline, ok := test.Deadline(); ok {
			return context.WithDeadline(context.Background(), deadline.Add(-deadlineMargin))
		}
	}
	return context.WithCancel(context.Background())
}
