package faults_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/testing/faults"
)

// Every kind of fault happens, in every schedule the one that it has.
func TestEveryKindHappens(t *testing.T) {
	report := faults.Sweep{Kinds: kinds(t), New: subject(none), Given: []client.Object{web}, Changes: deleted}.Check(t)
	want := []faults.Kind{
		faults.Behind, faults.Coalesced, faults.Conflict, faults.CrashAfter, faults.CrashAfterStale, faults.CrashBefore,
		faults.CrashBeforeStale, faults.Lost, faults.Refused, faults.Timeout, faults.Unseen,
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(report.Faults))); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	sum := 1 // the undisturbed run
	for _, count := range report.Faults {
		sum += count
	}
	if sum != report.Schedules {
		t.Errorf("%d schedules, of which all but the undisturbed have one fault; %d faults", report.Schedules, sum-1)
	}
}

// given runs the tests of this process with a flag.
func given(t *testing.T, name, value string) {
	t.Helper()
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set(name, flag.Lookup(name).DefValue) })
}

// What a sweep has found is found again with its schedule, by itself or in a file, and
// nothing else is run.
func TestReplay(t *testing.T) {
	sweep := faults.Sweep{Kinds: kinds(t), New: subject(swallowedErrors), Given: []client.Object{web}, Changes: changed, Sample: bugSample}
	found := sweep.Run(t).Violations
	if len(found) == 0 {
		t.Fatal("nothing is found")
	}
	file := filepath.Join(t.TempDir(), "schedule")
	if err := os.WriteFile(file, []byte(found[0].Schedule.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, by := range []string{found[0].Schedule.String(), "@" + file} {
		given(t, "faults.schedule", by)
		report := sweep.Run(t)
		if report.Schedules != 2 {
			t.Errorf("%s: %d schedules, want the undisturbed and this one", by, report.Schedules)
		}
		found[0].Count = 1
		if diff := cmp.Diff(found[:1], report.Violations); diff != "" {
			t.Errorf("%s (-found +found again):\n%s", by, diff)
		}
	}
}

// A seed draws the same sample each time, and another one another.
func TestSeed(t *testing.T) {
	sweep := faults.Sweep{Kinds: kinds(t), New: subject(none), Given: []client.Object{web}, Changes: deleted, Sample: 8, Pairs: 4, Seed: 1}
	first := sweep.Check(t).Faults
	given(t, "faults.seed", "2")
	second := sweep.Check(t).Faults
	given(t, "faults.seed", "1")
	if cmp.Equal(first, second) || !cmp.Equal(first, sweep.Check(t).Faults) {
		t.Errorf("seed 1: %v, seed 2: %v", first, second)
	}
}
