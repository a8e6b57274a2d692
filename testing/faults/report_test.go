package faults

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func schedule(t *testing.T, text string) Schedule {
	t.Helper()
	schedule, err := ParseSchedule(text)
	if err != nil {
		t.Fatal(err)
	}
	return schedule
}

// Of all schedules that break a rule the shortest is told, and of those the earliest,
// in whatever order they are found.
func TestTheShortestScheduleIsTold(t *testing.T) {
	found := []string{"1:lost,2:lost", "7:refused", "3:timeout", "3:lost", "4:crash-after"}
	for first := range found {
		report := &Report{}
		for i := range found {
			report.add(Violation{Rule: "quiet", Schedule: schedule(t, found[(first+i)%len(found)])})
		}
		if len(report.Violations) != 1 {
			t.Fatalf("%d kinds of violation, want 1", len(report.Violations))
		}
		if got := report.Violations[0]; got.Schedule.String() != "3:lost" || got.Count != len(found) {
			t.Errorf("%s is told, of %d; want 3:lost of %d", got.Schedule, got.Count, len(found))
		}
	}
}

// One report tells of several sweeps.
func TestReportsAdd(t *testing.T) {
	total := &Report{}
	total.Add(&Report{
		Requests: []string{"get"}, Schedules: 3, Faults: map[Kind]int{Lost: 2},
		Violations: []Violation{{Rule: "quiet", Detail: "a write", Count: 2, Schedule: schedule(t, "5:lost")}},
		Took:       time.Second, CPU: time.Second,
	})
	total.Add(&Report{
		Requests: []string{"get", "patch"}, Schedules: 2, Faults: map[Kind]int{Lost: 1, Refused: 1},
		Violations: []Violation{{Rule: "quiet", Detail: "a write", Count: 1, Schedule: schedule(t, "4:lost")}, {Rule: "ends", Count: 1}},
		Took:       time.Second, CPU: time.Second,
	})
	want := []string{
		"3 requests undisturbed; 5 schedules with 4 faults; 4 violations of 2 kinds",
		"faults: 3 lost, 1 refused",
		"2s: 150 schedules a minute",
		`- "quiet" is broken by 4:lost (and 2 more): a write`,
		`- "ends" is broken by undisturbed (and 0 more): `,
	}
	lines := strings.Split(strings.TrimSuffix(total.String(), "\n"), "\n")
	if len(lines) > 2 {
		lines[2], _, _ = strings.Cut(lines[2], ",") // the rest depends on the processors
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
