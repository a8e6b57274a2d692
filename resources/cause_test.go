package resources_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// counted returns the counters that a step has, each named by its metric and the
// labels that are not the same for all of them.
func counted(t *testing.T, step string) map[string]int {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, family := range families {
		if !strings.HasPrefix(family.GetName(), "trueup_") || family.GetType() != dto.MetricType_COUNTER {
			continue
		}
		for _, series := range family.GetMetric() {
			labels := map[string]string{}
			for _, pair := range series.GetLabel() {
				labels[pair.GetName()] = pair.GetValue()
			}
			if labels["step"] != step || series.GetCounter().GetValue() == 0 || labels["outcome"] != "" {
				continue
			}
			words := []string{strings.TrimPrefix(family.GetName(), "trueup_")}
			for _, label := range []string{"verb", "kind", "cause", "reason", "told_by"} {
				if labels[label] != "" {
					words = append(words, labels[label])
				}
			}
			got[strings.Join(words, " ")] = int(series.GetCounter().GetValue())
		}
	}
	return got
}

// counting is a bench that says what was counted since it was asked last.
type counting struct {
	*bench
	name string
	last map[string]int
}

func (c *counting) since(reason string, want map[string]int) {
	c.Helper()
	now := counted(c.T, c.name)
	got := maps.Clone(now)
	for name, before := range c.last {
		if got[name] -= before; got[name] == 0 {
			delete(got, name)
		}
	}
	c.last = now
	if diff := cmp.Diff(want, got); diff != "" {
		c.Errorf("%s: counted (-want +got):\n%s", reason, diff)
	}
}

// Every write is counted with its cause, and every child that needed none with what
// told so.
func TestWhyAWriteHappensIsCounted(t *testing.T) {
	step := resources.Ensure(desiredConfigMap).When(wanted).Named("counted")
	c := &counting{bench: newBench(t, step), name: "counted"}
	pass := func(reason string, want map[string]int) {
		c.Helper()
		if _, err := c.pass(); err != nil {
			c.Fatalf("%s: %v", reason, err)
		}
		c.since(reason, want)
		if child := c.configMap(); c.User.Get(c.Context(), clientKey(child), child) == nil {
			c.caughtUp(child)
		}
	}
	pass("there is none", map[string]int{"writes_total apply ConfigMap created": 1})
	pass("it is there", map[string]int{"skips_total same_version": 1})

	child := c.configMap()
	c.get(child)
	child.Labels["theirs"] = "1"
	c.update(child)
	c.caughtUp(child)
	pass("others have changed what is theirs", map[string]int{"skips_total others_changed": 1})

	c.get(child)
	child.Data["image"] = "theirs"
	c.update(child)
	c.caughtUp(child)
	pass("somebody has changed it", map[string]int{"writes_total apply ConfigMap drift": 1})

	c.app.Spec.Image = "img:2"
	pass("something else is wanted", map[string]int{"writes_total apply ConfigMap changed": 1})

	c.restart()
	pass("a new process", map[string]int{"skips_total recognised": 1})

	c.app.Spec.Image = "img:3"
	c.restart()
	pass("a new process wants something else", map[string]int{"writes_total apply ConfigMap cold_start": 1})

	c.app.Spec.Image = "none"
	pass("it is not wanted", map[string]int{"writes_total delete ConfigMap unwanted": 1})
}

// An object that was there before is taken over, and one that has to be is made
// again.
func TestWhyAnExistingObjectIsTakenIsCounted(t *testing.T) {
	step := resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		child, err := desiredConfigMap(app)
		child.Immutable = new(true)
		return child, err
	}).Adopt().Recreate().Named("taken")
	c := &counting{bench: newBench(t, step), name: "taken"}
	c.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: c.namespace}})
	c.caughtUp(c.configMap())
	if _, err := c.pass(); err != nil {
		t.Fatal(err)
	}
	c.since("somebody else's", map[string]int{"writes_total apply ConfigMap adopted": 1})
	c.app.Spec.Image = "img:2"
	if _, err := c.pass(); err != nil {
		t.Fatal(err)
	}
	c.since("it is immutable", map[string]int{
		"write_errors_total apply ConfigMap Invalid": 1, "writes_total delete ConfigMap recreated": 1,
	})
}

// The log tells of a write at V(1), with the step and the cause, and of nothing
// else; a quiet pass logs nothing at all.
func TestAWriteIsLogged(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap).Named("logged"))
	var lines []string
	pass := func(verbosity int) []string {
		lines = nil
		sink := funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{Verbosity: verbosity})
		run, err := reconcile.NewRun(b.Environment, "test", b.app)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Do(ctrl.LoggerInto(t.Context(), sink), b.step); err != nil {
			t.Fatal(err)
		}
		return lines
	}
	want := []string{`"level"=1 "msg"="wrote" "step"="logged" "verb"="apply" "kind"="ConfigMap" ` +
		`"child"={"name"="web" "namespace"="` + b.namespace + `"} "cause"="created"`}
	if diff := cmp.Diff(want, pass(1)); diff != "" {
		t.Errorf("at V(1) (-want +got):\n%s", diff)
	}
	b.caughtUp(b.configMap())
	if got := pass(1); len(got) > 0 {
		t.Errorf("a quiet pass logged %q", got)
	}
	b.app.Spec.Image = "img:2"
	if got := pass(0); len(got) > 0 {
		t.Errorf("at V(0) a write logged %q", got)
	}
}
