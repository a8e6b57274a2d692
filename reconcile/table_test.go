package reconcile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/trueup-dev/trueup/reconcile"
)

// The table of combinators and outcomes in the package comment is what they do.
func TestTheTableOfOutcomes(t *testing.T) {
	want := outcomesTable(t)
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), want) {
		t.Errorf("doc.go does not have this table:\n%s", want)
	}
}

func outcomesTable(t *testing.T) string {
	t.Helper()
	fail := func(err error) reconcile.Action[object] {
		return func(context.Context, run) (reconcile.Result, error) { return reconcile.Result{}, err }
	}
	gives := func(result reconcile.Result) reconcile.Action[object] {
		return func(context.Context, run) (reconcile.Result, error) { return result, nil }
	}
	columns := []struct {
		name string
		act  reconcile.Action[object]
	}{
		{"Continue", gives(reconcile.Continue)}, {"After", gives(reconcile.Continue.After(time.Minute))},
		{"Wait", gives(reconcile.Wait("W", "w"))}, {"Halt", gives(reconcile.Halt("H", "h"))},
		{"error", fail(errors.New("boom"))}, {"Terminal", fail(reconcile.Terminal(errors.New("no")))},
		{"panic", func(context.Context, run) (reconcile.Result, error) { panic("oh") }},
	}
	always := func(object) bool { return true }
	type combine func(first, second step) step
	rows := []struct {
		name    string
		combine combine
	}{
		{"Sequence", func(a, b step) step { return reconcile.Sequence(a, b) }},
		{"All", func(a, b step) step { return reconcile.All(a, b) }},
		{"Parallel", func(a, b step) step { return reconcile.Parallel(a, b) }},
		{"Graph, After", func(a, b step) step { return reconcile.Graph(reconcile.At("a", a), reconcile.At("b", b).After("a")) }},
		{"Graph, AfterTrying", func(a, b step) step {
			return reconcile.Graph(reconcile.At("a", a), reconcile.At("b", b).AfterTrying("a"))
		}},
		{"When", func(a, b step) step { return reconcile.When(always, a, b) }},
		{"Switch", func(a, b step) step {
			return reconcile.Switch(func(object) string { return "x" }, reconcile.Case("x", a, b))
		}},
		{"In", func(a, b step) step {
			return reconcile.In(reconcile.Elsewhere("other", &otherCluster{client: exampleEnvironment.Client}), a, b)
		}},
		{"ForEach", func(a, b step) step {
			return reconcile.ForEach("each", func(object) []string { return []string{"x"} }, a, b)
		}},
	}
	for _, name := range []string{"Wrap", "Retry", "Timeout", "Catch", "Finally", "Once"} {
		wrap := allWrappers()[name]
		rows = append(rows, struct {
			name    string
			combine combine
		}{name, func(a, b step) step { return reconcile.Sequence(wrap(a), b) }})
	}
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	cells := []string{"//\ta step in"}
	for _, column := range columns {
		cells = append(cells, column.name)
	}
	_, _ = fmt.Fprintln(table, strings.Join(cells, "\t"))
	for _, row := range rows {
		cells := []string{"//\t" + row.name}
		for _, column := range columns {
			ran := false
			second := reconcile.Func("second", func(context.Context, run) (reconcile.Result, error) {
				ran = true
				return reconcile.Continue, nil
			})
			result, err := outcomeInAPipeline(t, row.combine(reconcile.Func("first", column.act), second))
			cells = append(cells, cell(result, err, ran))
		}
		_, _ = fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text.String(), "//  ", "//\t")) {
		lines.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return lines.String()
}

// outcomeInAPipeline returns what a step comes to in a pass of a pipeline.
func outcomeInAPipeline(t *testing.T, of step) (result reconcile.Result, err error) {
	t.Helper()
	pipeline := reconcile.NewPipeline("test", reconcile.Finally(of, func(_ context.Context, _ run, got reconcile.Result, failure error) error {
		result, err = got, failure
		return nil
	}))
	if setup := pipeline.Setup(reconcile.Environment{Client: fake.NewClientBuilder().WithObjects(exampleConfig).Build()}); setup != nil {
		t.Fatal(setup)
	}
	_, _ = pipeline.Reconcile(t.Context(), exampleRequest)
	return result, err
}

// cell tells what came of two steps of which the first is of interest.
func cell(result reconcile.Result, err error, ran bool) string {
	word := result.Outcome().String()
	switch {
	case reconcile.IsTerminal(err):
		word = "Terminal"
	case err != nil:
		word = "error"
	case result.RequeueAfter() > 0:
		word = "After"
	}
	if ran {
		word += "+"
	}
	return word
}
