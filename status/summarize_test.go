package status_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

func conditions(app *v1.MyApp) *[]metav1.Condition { return &app.Status.Conditions }

// The whole way to the API server: written once, only when something differs,
// also when a step failed, at the generation that was seen.
func TestSummarizeOnTheServer(t *testing.T) {
	shared := cluster.Shared(t)
	namespace := shared.Namespace(t)
	var outcome error
	pipeline := reconcile.NewPipeline("test",
		reconcile.Func("work", func(context.Context, *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
			return reconcile.Continue, outcome
		}),
		status.Func(func(app *v1.MyApp, _ *reconcile.Run[*v1.MyApp]) { app.Status.ReadyReplicas = *app.Spec.Replicas }),
		status.Summarize(conditions),
	)
	live := steptest.StartLive[*v1.MyApp](t, shared.Config(), scheme(t), []string{namespace}, "test")
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	live.Environment.Clock = clock
	if err := pipeline.Setup(live.Environment); err != nil {
		t.Fatal(err)
	}
	app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	if err := live.User.Create(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKeyFromObject(app)
	// pass waits for the cache, makes one pass and a second one that must send
	// nothing, and returns what the first wrote.
	pass := func(wantErr error) int {
		t.Helper()
		live.CaughtUp(t, app)
		clock.SetTime(clock.Now().Add(time.Hour))
		live.Requests.Reset()
		if _, err := pipeline.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); !errors.Is(err, wantErr) {
			t.Fatalf("err = %v, want %v", err, wantErr)
		}
		writes := len(live.Requests.Writes())
		live.CaughtUp(t, app)
		clock.SetTime(clock.Now().Add(time.Hour))
		live.Requests.Reset()
		if _, err := pipeline.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); !errors.Is(err, wantErr) {
			t.Fatalf("err = %v, want %v", err, wantErr)
		}
		if diff := cmp.Diff([]steptest.Request(nil), live.Requests.All()); diff != "" {
			t.Errorf("a second pass sent (-want +got):\n%s", diff)
		}
		if err := live.User.Get(t.Context(), key, app); err != nil {
			t.Fatal(err)
		}
		return writes
	}
	check := func(what string, writes, wantWrites int, want metav1.ConditionStatus, reason string) metav1.Time {
		t.Helper()
		ready := meta.FindStatusCondition(app.Status.Conditions, status.ReadyCondition)
		if writes != wantWrites {
			t.Errorf("%s: %d writes, want %d", what, writes, wantWrites)
		}
		if ready == nil || ready.Status != want || ready.Reason != reason || ready.ObservedGeneration != app.Generation {
			t.Errorf("%s: Ready = %+v, want %s, %s at generation %d", what, ready, want, reason, app.Generation)
		}
		if app.Status.ObservedGeneration != app.Generation || app.Status.ReadyReplicas != *app.Spec.Replicas {
			t.Errorf("%s: status = %+v, want it to be about generation %d", what, app.Status, app.Generation)
		}
		return ready.LastTransitionTime
	}

	first := check("first pass", pass(nil), 1, "True", "Ready")

	app.Spec.Replicas = new(int32)
	if err := live.User.Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	second := check("new generation", pass(nil), 1, "True", "Ready")
	if !second.Equal(&first) {
		t.Errorf("lastTransitionTime moved from %v to %v although Ready stayed True", first, second)
	}

	outcome = reconcile.WithReason("Broken", errors.New("it broke"))
	third := check("a step fails", pass(outcome), 1, "False", "Broken")
	if third.Equal(&second) {
		t.Error("lastTransitionTime did not move although Ready did")
	}
	if got := meta.FindStatusCondition(app.Status.Conditions, "WorkReady"); got == nil || got.Message != "it broke" {
		t.Errorf("WorkReady = %+v, want the error's words", got)
	}

	outcome = nil
	check("it works again", pass(nil), 1, "True", "Ready")
}

func TestMisuseIsToldAtSetup(t *testing.T) {
	pipeline := reconcile.NewPipeline("test",
		status.Func[*v1.MyApp](nil),
		status.Summarize[*v1.MyApp](nil),
		status.Func(func(*v1.MyApp, *reconcile.Run[*v1.MyApp]) {}),
		status.Func(func(*v1.MyApp, *reconcile.Run[*v1.MyApp]) {}).Named("other"),
	)
	live := steptest.StartLive[*v1.MyApp](t, cluster.Shared(t).Config(), scheme(t), []string{"default"}, "test")
	err := pipeline.Setup(live.Environment)
	for _, want := range []string{
		`step "status": the function is nil`,
		`step "summary": the function that finds the conditions is nil`,
		`step "status": the name is taken`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %s: %v", want, err)
		}
	}
	if err != nil && strings.Contains(err.Error(), `step "other"`) {
		t.Errorf("a step with a name of its own was refused: %v", err)
	}
}

// A summary whose conditions nobody could tell apart is refused.
func TestConditionsThatClashAreToldAtSetup(t *testing.T) {
	live := steptest.StartLive[*v1.MyApp](t, cluster.Shared(t).Config(), scheme(t), []string{"default"}, "test")
	work := func(context.Context, appRun) (reconcile.Result, error) { return reconcile.Continue, nil }
	for name, test := range map[string]struct {
		summary *status.Summary[*v1.MyApp]
		want    string
	}{
		"the type of a step":   {status.Summarize(conditions).As("DatabaseReady"), `step "summary": condition type "DatabaseReady" is that of step "database"`},
		"a step included":      {status.Summarize(conditions).Including("DatabaseReady"), `step "summary": condition type "DatabaseReady" is that of step "database"`},
		"itself":               {status.Summarize(conditions).Including("Ready"), `step "summary": condition type "Ready" is declared twice`},
		"both polarities":      {status.Summarize(conditions).Including("A").Negative("A"), `step "summary": condition type "A" is declared twice`},
		"kept and retired":     {status.Summarize(conditions).Including("A").Retiring("A"), `step "summary": condition type "A" is declared twice`},
		"what is kept already": {status.Summarize(conditions).Negative("Stalled"), `step "summary": condition type "Stalled" is one that the summary keeps by itself`},
		"no type":              {status.Summarize(conditions).As(""), `step "summary": condition type ""`},
		"not a type":           {status.Summarize(conditions).Including("not a type"), `step "summary": condition type "not a type"`},
	} {
		t.Run(name, func(t *testing.T) {
			err := reconcile.NewPipeline("test", reconcile.Func("database", work), test.summary).Setup(live.Environment)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error does not say %s: %v", test.want, err)
			}
		})
	}
}
