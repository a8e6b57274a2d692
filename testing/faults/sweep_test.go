package faults_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/testing/faults"
)

var (
	named = metav1.ObjectMeta{Name: "web"}
	web   = &v1.MyApp{ObjectMeta: named, Spec: v1.MyAppSpec{Image: "img:1"}}
)

// The lives that the handwritten reconciler is led through.
var (
	kept = []faults.Change{
		{Name: "new image", Do: merge(web, `{"spec":{"image":"img:2"}}`)},
		{Name: "somebody labels the Deployment", Do: merge(&appsv1.Deployment{ObjectMeta: named}, `{"metadata":{"labels":{"mine":"yes"}}}`), Early: true},
		{Name: "scale", Do: merge(web, `{"spec":{"replicas":2}}`), Early: true},
	}
	// One change, and nothing after it that would mend what it left undone.
	changed = []faults.Change{{Name: "new image", Do: merge(web, `{"spec":{"image":"img:2"}}`)}}
	drifted = []faults.Change{
		{Name: "somebody scales the Deployment", Do: merge(&appsv1.Deployment{ObjectMeta: named}, `{"spec":{"replicas":5}}`)},
	}
	deleted = []faults.Change{{Name: "delete", Do: remove(web)}}
)

// Each bug of a handwritten reconciler is found.
func TestBugsAreFound(t *testing.T) {
	cases := map[string]struct {
		changes []faults.Change
		rule    string // that is found to be broken, or how it begins
	}{
		randomNames:       {changed, "never two Deployments"},
		effectFirst:       {deleted, "no record without a finalizer"},
		swallowedErrors:   {changed, "quiet when nothing is to be done"},
		cleanupInMemory:   {deleted, "ends in the same state: outside differs"},
		cleanupOnce:       {deleted, "no record without a finalizer"},
		timeInStatus:      {kept, "comes to an end"},
		overwritten:       {kept, "ends in the same state: Deployment web differs"},
		unwatchedChildren: {drifted, "quiet when nothing is to be done"},
		nilChild:          {kept, "no panics"},
		terminalConflicts: {changed, "quiet when nothing is to be done"},
		staleOwner:        {deleted, "no record without a finalizer"},
	}
	broken := map[string][]string{} // the bugs that break each rule in the way that is theirs
	for bug, test := range cases {
		t.Run(bug, func(t *testing.T) {
			report := faults.Sweep{Kinds: kinds(t), New: subject(bug), Given: []client.Object{web}, Changes: test.changes, Sample: bugSample}.Run(t)
			t.Log(report)
			if !slices.ContainsFunc(report.Violations, func(violation faults.Violation) bool { return strings.HasPrefix(violation.Rule, test.rule) }) {
				t.Errorf("nothing breaks %q", test.rule)
				return
			}
			broken[test.rule] = append(broken[test.rule], bug)
		})
	}
	for _, rule := range slices.Sorted(maps.Keys(broken)) {
		slices.Sort(broken[rule])
		t.Logf("%q is broken by: %s", rule, strings.Join(broken[rule], "; "))
	}
	t.Logf("%d distinct kinds of bug are found", len(broken))
	if len(broken) < enough {
		t.Errorf("%d distinct kinds of bug are found, want at least %d", len(broken), enough)
	}
}

// enough is how many kinds of bug have to be found, each of which breaks another rule
// than the others: several bugs of one kind count once.
const enough = 6

// Where there is no bug none is found.
func TestNoBugIsFoundWhereThereIsNone(t *testing.T) {
	for name, changes := range map[string][]faults.Change{"kept": kept, "drifted": drifted, "deleted": deleted} {
		t.Run(name, func(t *testing.T) {
			faults.Sweep{Kinds: kinds(t), New: subject(none), Given: []client.Object{web}, Changes: changes, Sample: 30, Pairs: 10}.Check(t)
		})
	}
}

// A schedule is read as it is told, so that it can be run again.
func TestParseSchedule(t *testing.T) {
	for _, text := range []string{
		"undisturbed", "3:refused", "1:crash-before-stale,4:lost", "2:behind:Deployment.v1.apps:2", "5:coalesced:Deployment.v1.apps", "7:unseen:Service.v1.,7:timeout",
	} {
		schedule, err := faults.ParseSchedule(text)
		if err != nil || schedule.String() != text {
			t.Errorf("%q was read as %q: %v", text, schedule, err)
		}
	}
	for _, text := range []string{"3", "x:lost", "3:unknown", "3:behind", "3:lost:more", "3:unseen:Deployment", "3:behind:Deployment.v1.apps:x"} {
		if schedule, err := faults.ParseSchedule(text); err == nil {
			t.Errorf("%q was read as %q", text, schedule)
		}
	}
}

// The same schedule gives the same run.
func TestRunsAreTheSameEachTime(t *testing.T) {
	sweep := faults.Sweep{Kinds: kinds(t), New: subject(swallowedErrors), Given: []client.Object{web}, Changes: changed, Sample: bugSample}
	first, second := sweep.Run(t), sweep.Run(t)
	if len(first.Violations) == 0 {
		t.Fatal("nothing is found")
	}
	for i := range first.Violations {
		diff := cmp.Diff(first.Violations[i], second.Violations[i])
		if diff != "" {
			t.Errorf("the second time (-first +second):\n%s", diff)
		}
	}
}
