package proof_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/examples/myapp/lives"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/faults"
)

// What the sweep in memory proves holds on a real API server, with real controllers: a
// sample of the same schedules ends in the same state.
func TestMyAppSweepOnCluster(t *testing.T) {
	kinds, err := lives.Kinds()
	if err != nil {
		t.Fatal(err)
	}
	shared := cluster.Shared(t)
	for _, life := range []string{lives.RolledOut, lives.Interfered} {
		t.Run(strings.ReplaceAll(life, " ", "-"), func(t *testing.T) {
			report := faults.Sweep{
				Kinds: kinds, New: lives.Subject, Given: []client.Object{lives.App()}, Changes: lives.All()[life],
				Sample: 7, Pairs: 2, Seed: 1,
			}.OnCluster(t, shared.Config(), func() string { return shared.Namespace(t) })
			t.Log(report)
			for _, violation := range report.Violations {
				t.Errorf("%s\nthe run:\n%s", violation, strings.Join(append(violation.Story, violation.Detail), "\n"))
			}
		})
	}
}
