package finalizer_test

import (
	"testing"
	"time"

	"github.com/trueup-dev/trueup/testing/cluster"
)

// The tests run beside the controllers of Kubernetes, of which the garbage
// collector and the namespace controller have a part in deletion.
func TestMain(m *testing.M) {
	cluster.Main(m, cluster.Options{Controllers: true, CRDPaths: []string{"../examples/myapp/config/crd/bases"}})
}

// pollSoon is when a step that waits for a test looks again.
const pollSoon = 50 * time.Millisecond
