package faults_test

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/examples/myapp/lives"
	"github.com/trueup-dev/trueup/testing/faults"
)

// MyApps come out the same whatever goes wrong.
func TestMyAppSweep(t *testing.T) {
	kinds, err := lives.Kinds() // memory.NewKinds(scheme, crd), once for all tests
	if err != nil {
		t.Fatal(err)
	}
	total := &faults.Report{}
	for name, changes := range lives.All() {
		t.Run(name, func(t *testing.T) {
			total.Add(faults.Sweep{
				Kinds: kinds, New: lives.Subject, Given: []client.Object{lives.App()}, Changes: changes,
				Sample: single(name), Pairs: pairs(), Seed: 1,
			}.Check(t))
		})
	}
	t.Logf("all lives: %s", total)
}

// single is how many schedules of one fault there are: all of them, except that the
// race detector, with which each takes about seven times as long, sees all of one life
// and a sample of the others.
func single(name string) int {
	if raced && name != lives.RolledOut {
		return 40
	}
	return 0
}

func pairs() int {
	if raced {
		return 10
	}
	return 100
}
