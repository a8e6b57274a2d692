package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
)

// families returns what the registry has of this library.
func families(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	all, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*dto.MetricFamily{}
	for _, family := range all {
		if strings.HasPrefix(family.GetName(), "trueup_") {
			found[family.GetName()] = family
		}
	}
	return found
}

// measured returns the metrics of a pipeline that are not 0, of a histogram the
// number of observations.
func measured(t *testing.T, pipeline string) map[string]int {
	t.Helper()
	got := map[string]int{}
	for name, family := range families(t) {
		for _, series := range family.GetMetric() {
			words := []string{strings.TrimPrefix(name, "trueup_")}
			ours := false
			for _, label := range series.GetLabel() {
				if label.GetName() == "pipeline" {
					ours = label.GetValue() == pipeline
					continue
				}
				words = append(words, label.GetName()+"="+label.GetValue())
			}
			value := int(series.GetCounter().GetValue()) + int(series.GetGauge().GetValue()) +
				int(series.GetHistogram().GetSampleCount())
			if ours && value != 0 {
				got[strings.Join(words, " ")] = value
			}
		}
	}
	return got
}

// measuredPipeline makes passes of a pipeline over objects in memory.
type measuredPipeline struct {
	*testing.T
	pipeline *reconcile.Pipeline[app]
	client   client.Client
}

func newMeasured(t *testing.T, name string, steps ...reconcile.Step[app]) *measuredPipeline {
	t.Helper()
	m := &measuredPipeline{T: t, pipeline: reconcile.NewPipeline(name, steps...)}
	m.client = fake.NewClientBuilder().WithScheme(scheme(t)).WithStatusSubresource(&v1.MyApp{}).Build()
	if err := m.pipeline.Setup(reconcile.Environment{Client: m.client}); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *measuredPipeline) create(name string) {
	m.Helper()
	object := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "demo"}}
	if err := m.client.Create(m.Context(), object); err != nil {
		m.Fatal(err)
	}
}

func (m *measuredPipeline) pass(name string) {
	m.Helper()
	_, _ = m.pipeline.Reconcile(m.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "demo", Name: name}})
}

func TestWhatBecomesOfAStepIsMeasured(t *testing.T) {
	outcome := func(result reconcile.Result, err error) func(context.Context, appRun) (reconcile.Result, error) {
		return func(context.Context, appRun) (reconcile.Result, error) { return result, err }
	}
	m := newMeasured(t, "outcomes",
		reconcile.All(
			reconcile.Func("ready", nothing),
			reconcile.Func("waits", outcome(reconcile.Wait("A", "b"), nil)),
			reconcile.Func("waits-in-vain", outcome(reconcile.Wait("A", "b").Stalled(), nil)),
			reconcile.Func("halts", outcome(reconcile.Halt("A", "b"), nil)),
			reconcile.Func("fails", outcome(reconcile.Result{}, errors.New("no"))),
			reconcile.Func("panics", func(context.Context, appRun) (reconcile.Result, error) { panic("no") }),
			reconcile.Func("stalls", outcome(reconcile.Result{}, reconcile.Terminal(errors.New("no")))),
		),
		reconcile.Func("never-reached", nothing),
	)
	m.create("a")
	m.pass("a")
	m.pass("a")
	want := map[string]int{"objects state=failed": 1, "step_outcomes_total outcome=skipped step=never-reached": 2}
	for step, outcome := range map[string]string{
		"ready": "ready", "waits": "waiting", "waits-in-vain": "stalled", "halts": "halted",
		"fails": "failed", "panics": "failed", "stalls": "stalled",
	} {
		want["step_outcomes_total outcome="+outcome+" step="+step] = 2
		want["step_duration_seconds step="+step] = 2
	}
	if diff := cmp.Diff(want, measured(t, "outcomes")); diff != "" {
		t.Errorf("measured (-want +got):\n%s", diff)
	}
}

// Objects are counted where their last pass has put them, and not any more when
// they are gone or another one has their name.
func TestObjectsAreCountedByWhatBecameOfThem(t *testing.T) {
	result := reconcile.Continue
	m := newMeasured(t, "standing", reconcile.Func("step", func(context.Context, appRun) (reconcile.Result, error) {
		return result, nil
	}))
	states := func(reason string, want map[string]int) {
		t.Helper()
		got := measured(t, "standing")
		maps.DeleteFunc(got, func(name string, _ int) bool { return !strings.HasPrefix(name, "objects") })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", reason, diff)
		}
	}
	m.create("a")
	m.create("b")
	m.pass("a")
	m.pass("b")
	m.pass("b")
	states("both are ready", map[string]int{"objects state=ready": 2})
	result = reconcile.Wait("A", "b")
	m.pass("b")
	states("one waits", map[string]int{"objects state=ready": 1, "objects state=waiting": 1})
	for _, name := range []string{"a", "b"} {
		if err := m.client.Delete(t.Context(), &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "demo"}}); err != nil {
			t.Fatal(err)
		}
		m.pass(name)
	}
	states("both are gone", map[string]int{})
}

// A hundred objects make no more series than one, and none has a name of theirs.
func TestTheNumberOfSeriesIsBounded(t *testing.T) {
	m := newMeasured(t, "bounded", reconcile.Func("step", func(ctx context.Context, run appRun) (reconcile.Result, error) {
		object := run.Object()
		app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "child-of-" + object.Name, Namespace: "demo"}}
		if err := run.Client().Create(ctx, app, reconcile.Cause("because of "+object.Name)); err != nil {
			return reconcile.Result{}, err
		}
		return reconcile.Continue, run.Client().Delete(ctx, app)
	}))
	var one int
	for i := range 100 {
		name := fmt.Sprintf("zebra-%d", i)
		m.create(name)
		m.pass(name)
		if i == 0 {
			one = len(measured(t, "bounded"))
		}
	}
	got := measured(t, "bounded")
	if len(got) != one {
		t.Errorf("a hundred objects have %d series, one has %d", len(got), one)
	}
	for name := range got {
		if strings.Contains(name, "zebra") {
			t.Errorf("%s has the name of an object", name)
		}
	}
	if got["writes_total cause=other kind=MyApp.apps.example.com step=step verb=create"] != 100 {
		t.Errorf("a cause of the author's own is not counted as other: %v", got)
	}
}

// What the package comment says of the metrics is what there is.
func TestTheMetricsAreAsDocumented(t *testing.T) {
	m := newMeasured(t, "documented", reconcile.Func("step", func(ctx context.Context, run appRun) (reconcile.Result, error) {
		run.Skipped(reconcile.SkipSameVersion)
		app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "other", Namespace: "demo"}}
		if err := run.Client().Create(ctx, app); err != nil {
			return reconcile.Result{}, err
		}
		return reconcile.Continue, run.Client().Create(ctx, app)
	}))
	m.create("a")
	m.pass("a")
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string][]string{}
	for _, line := range regexp.MustCompile(`(?m)^//\t(trueup_\w+)\{([\w, ]+)\}`).FindAllStringSubmatch(string(source), -1) {
		documented[line[1]] = strings.Split(line[2], ", ")
	}
	got := map[string][]string{}
	for name, family := range families(t) {
		var labels []string
		for _, label := range family.GetMetric()[0].GetLabel() {
			labels = append(labels, label.GetName())
		}
		slices.Sort(documented[name])
		got[name] = labels
	}
	if diff := cmp.Diff(documented, got); diff != "" {
		t.Errorf("documented and registered (-want +got):\n%s", diff)
	}
}

// What is measured in a quiet pass costs no allocation of its own: ten steps have
// no more than ten in all.
func TestMeasuringAllocatesNothing(t *testing.T) {
	object := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "demo", UID: "uid"}}
	server := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(object).Build()
	pipeline := reconcile.NewPipeline("allocating", tenSteps()...)
	if err := pipeline.Setup(reconcile.Environment{Client: &uncopied{Client: server, app: object}}); err != nil {
		t.Fatal(err)
	}
	request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(object)}
	passes := 0
	allocations := testing.AllocsPerRun(100, func() {
		passes++
		if _, err := pipeline.Reconcile(t.Context(), request); err != nil {
			t.Error(err)
		}
	})
	if allocations > 10 {
		t.Errorf("a quiet pass of ten steps allocates %v times", allocations)
	}
	if got := measured(t, "allocating")["step_duration_seconds step=step-0"]; got != passes {
		t.Errorf("%d passes were measured, want %d", got, passes)
	}
}
