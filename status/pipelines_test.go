package status_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
)

// Two pipelines of ours keep conditions in one object and never fight: one sums
// up for its part, the other for the object, the part included.
func TestTwoPipelinesOnOneObjectNeverFight(t *testing.T) {
	t.Run("MyApp", func(t *testing.T) {
		neverFight(t, newApp(), func() *status.Summary[*v1.MyApp] { return status.Summarize(conditions) })
	})
	for _, g := range gadgets {
		if g.subresource {
			t.Run(g.kind, func(t *testing.T) { neverFight(t, g.object(), status.SummarizeUnstructured) })
		}
	}
}

func neverFight[T client.Object](t *testing.T, object T, summarize func() *status.Summary[T]) {
	t.Helper()
	b := newBench(t, object)
	part := reconcile.Continue
	database := b.setUp(reconcile.NewPipeline("database",
		reconcile.Func("schema", func(context.Context, *reconcile.Run[T]) (reconcile.Result, error) { return part, nil }),
		summarize().As("DatabaseReady"),
	))
	whole := b.setUp(reconcile.NewPipeline("myapp",
		reconcile.Func("web", func(context.Context, *reconcile.Run[T]) (reconcile.Result, error) { return reconcile.Continue, nil }),
		summarize().Including("DatabaseReady"),
	))
	check := func(what string, want ...string) {
		t.Helper()
		for _, pipeline := range []*reconcile.Pipeline[T]{database, whole} {
			if _, sent, err := b.pass(pipeline); err != nil || len(sent) > 1 {
				t.Errorf("%s: %s sent %v, %v", what, pipeline.Name(), sent, err)
			}
		}
		if diff := cmp.Diff(want, b.told()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		for range 2 {
			b.quiet(what, database)
			b.quiet(what, whole)
		}
	}
	if _, _, err := b.pass(whole); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"Ready=Unknown g1 Pending: DatabaseReady: not set yet", "WebReady=True g1 Ready",
		"Reconciling=True g1 Pending: DatabaseReady: not set yet",
	}, b.told()); diff != "" {
		t.Errorf("before the other one has said anything (-want +got):\n%s", diff)
	}
	check("both are ready",
		"Ready=True g1 Ready: every step is ready", "WebReady=True g1 Ready",
		"DatabaseReady=True g1 Ready: every step is ready", "SchemaReady=True g1 Ready")

	part = reconcile.Wait("Migrating", "2 tables are left")
	check("the part is not ready",
		"Ready=False g1 Migrating: DatabaseReady: schema: 2 tables are left", "WebReady=True g1 Ready",
		"DatabaseReady=False g1 Migrating: schema: 2 tables are left", "SchemaReady=False g1 Migrating: 2 tables are left",
		"Reconciling=True g1 Migrating: DatabaseReady: schema: 2 tables are left")

	part = reconcile.Continue
	check("the part is ready again",
		"Ready=True g1 Ready: every step is ready", "WebReady=True g1 Ready",
		"DatabaseReady=True g1 Ready: every step is ready", "SchemaReady=True g1 Ready")

	b.respec("image", "img:2")
	if _, _, err := b.pass(whole); err != nil {
		t.Fatal(err)
	}
	if ready := b.told()[0]; ready != "Ready=Unknown g2 Pending: DatabaseReady: not known of the present generation yet" {
		t.Errorf("readiness of an old generation counts: %s", ready)
	}
	if got, _, _ := unstructured.NestedInt64(b.live().Object, "status", "observedGeneration"); got != 2 {
		t.Errorf("observedGeneration = %d, want 2", got)
	}
	check("both have seen it",
		"Ready=True g2 Ready: every step is ready", "WebReady=True g2 Ready",
		"DatabaseReady=True g2 Ready: every step is ready", "SchemaReady=True g2 Ready")
}

// Where there is no status subresource each write of a status is a new generation,
// which the conditions do without.
func TestPipelinesWithoutAStatusSubresourceNeverFight(t *testing.T) {
	b := newBench(t, gadgets[2].object())
	part := reconcile.Continue
	step := func(name string) reconcile.Step[*unstructured.Unstructured] {
		return reconcile.Func(name, func(context.Context, *reconcile.Run[*unstructured.Unstructured]) (reconcile.Result, error) {
			return part, nil
		})
	}
	pipelines := []*reconcile.Pipeline[*unstructured.Unstructured]{
		b.setUp(reconcile.NewPipeline("database", step("schema"), status.SummarizeUnstructured().As("DatabaseReady"))),
		b.setUp(reconcile.NewPipeline("myapp", step("web"), status.SummarizeUnstructured().Including("DatabaseReady"))),
	}
	for _, part = range []reconcile.Result{reconcile.Continue, reconcile.Wait("Busy", "busy"), reconcile.Continue} {
		for _, pipeline := range pipelines {
			if _, sent, err := b.pass(pipeline); err != nil || len(sent) > 3 {
				t.Errorf("%s sent %v, %v", pipeline.Name(), sent, err)
			}
		}
		for _, pipeline := range pipelines {
			b.quiet(part.String(), pipeline)
		}
	}
	if diff := cmp.Diff([]string{
		"DatabaseReady=True g0 Ready: every step is ready", "SchemaReady=True g0 Ready",
		"Ready=True g0 Ready: every step is ready", "WebReady=True g0 Ready",
	}, b.told()); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	restarted := b.setUp(reconcile.NewPipeline("myapp", step("web"), status.SummarizeUnstructured().Including("DatabaseReady")))
	version := b.live().GetResourceVersion()
	if _, _, err := b.pass(restarted); err != nil || b.live().GetResourceVersion() != version {
		t.Errorf("a restart wrote: %v", err)
	}
}

// A part of an object does not say that the whole was seen.
func TestAPartLeavesObservedGenerationAlone(t *testing.T) {
	b := newBench(t, newApp())
	part := b.setUp(reconcile.NewPipeline("database", reconcile.Func("schema", func(context.Context, appRun) (reconcile.Result, error) {
		return reconcile.Wait("Migrating", "m").Stalled(), nil
	}), status.Summarize(conditions).As("DatabaseReady")))
	if _, _, err := b.pass(part); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"DatabaseReady=False g1 Migrating: schema: m", "SchemaReady=False g1 Migrating: m"}, b.told()); diff != "" {
		t.Errorf("conditions (-want +got):\n%s", diff)
	}
	if _, found, _ := unstructured.NestedInt64(b.live().Object, "status", "observedGeneration"); found {
		t.Error("observedGeneration is set")
	}
	b.quiet("the part", part)
}
