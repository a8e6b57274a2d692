package reconcile_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
)

// Every function that an author gives may panic: the failure has the name of a step
// and shows in the status.
func TestAPanicOfAnAuthorsFunctionNamesAStep(t *testing.T) {
	falls := func(app *v1.MyApp) bool { panic("no " + app.Name) }
	for name, test := range map[string]struct {
		step  reconcile.Step[app]
		want  string
		shows string // as what step
	}{
		"When":               {reconcile.When(falls, reconcile.Func("a", nothing)), "step when: panic: no web", "when"},
		"When of finalizers": {reconcile.When(falls, guarded{reconcile.Func("a", nothing), "example.com/a"}), "step a: tell whether finalizers are needed: panic: no web", "finalizers"},
		"ForEach":            {reconcile.ForEach("shards", func(app *v1.MyApp) []string { panic("no " + app.Name) }, reconcile.Func("a", nothing)), "step shards: panic: no web", "shards"},
		"annotations":        {annotated{guarded{reconcile.Func("a", nothing), "example.com/a"}}, "step a: tell the annotations: panic: no token", "finalizers"},
	} {
		t.Run(name, func(t *testing.T) {
			var shown []reconcile.Report
			b := newPipelineBench(t, test.step, reporter{"show", func(run appRun) (reconcile.Result, error) {
				shown = run.Reports()
				return reconcile.Continue, nil
			}})
			_, err := b.pass()
			if !strings.Contains(textOf(err), test.want) {
				t.Errorf("err = %v, want it to say %s", err, test.want)
			}
			found := false
			for _, report := range shown {
				found = found || report.Step == test.shows && report.Reason == "Panicked" && report.State == reconcile.StateFailed
			}
			if !found {
				t.Errorf("reports are %+v, want one of %s", shown, test.shows)
			}
		})
	}
}

// annotated is a step whose function of annotations panics.
type annotated struct{ reconcile.Step[app] }

func (a annotated) Describe() reconcile.Description {
	about := a.Step.Describe()
	about.Annotations = func(client.Object) map[string]string { panic("no token") }
	return about
}

// speechless is a step that cannot say what it is.
type speechless struct{ described }

func (speechless) Describe() reconcile.Description { panic("not yet") }

func TestWhatIsWrongWithAStepIsToldAtSetup(t *testing.T) {
	client := fake.NewClientBuilder().WithScheme(scheme(t)).Build()
	err := reconcile.NewPipeline("test", speechless{}, reconcile.Func("undo", nothing).Undo(nil),
		reconcile.ForEach("shards", nil, reconcile.Func("a", nothing)).Limit(0)).Setup(reconcile.Environment{Client: client})
	for _, want := range []string{
		`pipeline "test": step "reconcile_test.speechless": describe the step: panic: not yet`,
		`pipeline "test": step "undo": Undo: the function is nil`,
		`pipeline "test": step "shards": the function that names the items is nil`,
		`pipeline "test": step "shards": Limit: 0 is less than 1`,
	} {
		if !strings.Contains(textOf(err), want) {
			t.Errorf("the error does not say %s:\n%v", want, err)
		}
	}
	if err := reconcile.RegisterIndexes(nil, "hand", reconcile.Func("a", nothing)); !strings.Contains(textOf(err), "the manager is nil") {
		t.Errorf("err = %v, want a nil manager refused", err)
	}
	if err := reconcile.NewPipeline("test", reconcile.Func("a", nothing)).SetupWithManager(nil); !strings.Contains(textOf(err), "the manager is nil") {
		t.Errorf("err = %v, want a nil manager refused", err)
	}
	if err := reconcile.NewPipeline("test", reconcile.Func("a", nothing)).Setup(reconcile.EnvironmentOf(nil, "test")); !strings.Contains(textOf(err), "Client is required") {
		t.Errorf("err = %v, want the environment of a nil manager refused", err)
	}
}

func TestNamesOfStepsThatAreRunByHand(t *testing.T) {
	environment := reconcile.Environment{Client: fake.NewClientBuilder().WithScheme(scheme(t)).Build()}
	if _, err := reconcile.NewRun(environment, "My_App", &v1.MyApp{}); !strings.Contains(textOf(err), `name "My_App": `) {
		t.Errorf("err = %v, want a name refused that is no DNS label", err)
	}
	a, long := reconcile.Func("a", nothing), reconcile.Func(strings.Repeat("long", 15), nothing)
	for want, step := range map[string]reconcile.Step[app]{
		`step "a": the name is empty, or taken`: reconcile.All(a, reconcile.Parallel(a)),
		"has more than 63 characters":           long,
	} {
		run, err := reconcile.NewRun(environment, "hand", &v1.MyApp{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Do(t.Context(), step); !reconcile.IsTerminal(err) || !strings.Contains(textOf(err), want) {
			t.Errorf("err = %v, want a terminal one that says %s", err, want)
		}
	}
}
