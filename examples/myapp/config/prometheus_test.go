package config_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

var (
	metricName  = regexp.MustCompile(`trueup_\w+`)
	selector    = regexp.MustCompile(`(trueup_\w+)\{([^}]*)\}`)
	matcher     = regexp.MustCompile(`(\w+)\s*(?:=~|!=|!~|=)\s*"`)
	aggregation = regexp.MustCompile(`by \(([\w, ]+)\)`)
	documented  = regexp.MustCompile(`(?m)^//\t(trueup_\w+)\{([\w, ]+)\}`)
)

// metrics returns the labels of each metric, from the comment of package reconcile,
// which that package's tests hold to the registry.
func metrics(t *testing.T) map[string][]string {
	t.Helper()
	directory, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "github.com/trueup-dev/trueup/reconcile").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(directory)), "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]string{}
	for _, line := range documented.FindAllStringSubmatch(string(source), -1) {
		known[line[1]] = strings.Split(line[2], ", ")
	}
	return known
}

// base returns the metric that a series of a histogram belongs to.
func base(name string) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		if trimmed, ok := strings.CutSuffix(name, suffix); ok {
			return trimmed
		}
	}
	return name
}

// checkExpression holds what an expression says of metrics and labels to what there
// is, and returns the metrics.
func checkExpression(t *testing.T, where, expression string, known map[string][]string) []string {
	t.Helper()
	var names []string
	labels := map[string]bool{"le": true}
	for _, name := range metricName.FindAllString(expression, -1) {
		if known[base(name)] == nil {
			t.Errorf("%s: there is no metric %s", where, name)
		}
		names = append(names, base(name))
		for _, label := range known[base(name)] {
			labels[label] = true
		}
	}
	for _, found := range selector.FindAllStringSubmatch(expression, -1) {
		for _, match := range matcher.FindAllStringSubmatch(found[2], -1) {
			if !slices.Contains(known[base(found[1])], match[1]) {
				t.Errorf("%s: %s has no label %s", where, found[1], match[1])
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	for _, found := range aggregation.FindAllStringSubmatch(expression, -1) {
		for _, label := range strings.Split(found[1], ", ") {
			if !labels[label] {
				t.Errorf("%s: no metric in it has a label %s: %s", where, label, expression)
			}
		}
	}
	return names
}

// The dashboard shows every metric that there is, and no other.
func TestTheDashboardIsOfTheMetrics(t *testing.T) {
	data, err := os.ReadFile("prometheus/dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		t.Fatal(err)
	}
	known := metrics(t)
	missing := maps.Clone(known)
	for _, panel := range dashboard.Panels {
		if len(panel.Targets) == 0 {
			t.Errorf("panel %q shows nothing", panel.Title)
		}
		for _, target := range panel.Targets {
			for _, name := range checkExpression(t, panel.Title, target.Expr, known) {
				delete(missing, name)
			}
		}
	}
	if len(missing) > 0 || len(known) == 0 {
		t.Errorf("of the metrics %v the dashboard does not show %v", known, missing)
	}
}

// The alerts are about metrics and labels that there are, say what it is about, and
// name in their text only labels that they have.
func TestTheAlertsAreOfTheMetrics(t *testing.T) {
	data, err := os.ReadFile("prometheus/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var rules struct {
		Spec struct {
			Groups []struct {
				Rules []struct {
					Alert, Expr, For    string
					Labels, Annotations map[string]string
				}
			}
		}
	}
	if err := yaml.Unmarshal(data, &rules); err != nil {
		t.Fatal(err)
	}
	known, alerts := metrics(t), 0
	inText := regexp.MustCompile(`\$labels\.(\w+)`)
	for _, group := range rules.Spec.Groups {
		for _, rule := range group.Rules {
			alerts++
			if len(checkExpression(t, rule.Alert, rule.Expr, known)) == 0 {
				t.Errorf("%s is about no metric of ours: %s", rule.Alert, rule.Expr)
			}
			if rule.For == "" || rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" {
				t.Errorf("%s: an alert has a time, a severity and a summary: %+v", rule.Alert, rule)
			}
			kept := strings.Split(aggregation.FindStringSubmatch(rule.Expr)[1], ", ")
			for _, text := range rule.Annotations {
				for _, label := range inText.FindAllStringSubmatch(text, -1) {
					if !slices.Contains(kept, label[1]) {
						t.Errorf("%s names the label %s, which it does not have", rule.Alert, label[1])
					}
				}
			}
		}
	}
	if alerts == 0 {
		t.Error("there are no alerts")
	}
}

// What is to be installed can be built, and the dashboard is in it.
func TestWhatPrometheusNeedsIsBuilt(t *testing.T) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "prometheus")
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, resource := range built.Resources() {
		kinds = append(kinds, resource.GetKind())
	}
	slices.Sort(kinds)
	if want := []string{"ConfigMap", "PrometheusRule", "ServiceMonitor"}; !slices.Equal(kinds, want) {
		t.Errorf("config/prometheus has %v, want %v", kinds, want)
	}
}
