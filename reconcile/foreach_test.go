package reconcile_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// shardsOf names the items of an app: the keys of its node selector.
func shardsOf(app *v1.MyApp) []string { return slices.Collect(maps.Keys(app.Spec.NodeSelector)) }

// shardConfig keeps a ConfigMap for an item.
func shardConfig() *resources.Child[app, *corev1.ConfigMap] {
	return resources.EnsureFrom(func(app *v1.MyApp, run appRun) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: app.Name + "-" + run.Item()}, Data: map[string]string{"of": app.Spec.NodeSelector[run.Item()]},
		}, nil
	})
}

// places is something outside of the cluster that items have a place in.
type places struct {
	mu    sync.Mutex
	taken map[string]bool
	fails map[string]error
}

func newPlaces() *places { return &places{taken: map[string]bool{}, fails: map[string]error{}} }

func (p *places) step() reconcile.Step[app] {
	set := func(item string, taken bool) (reconcile.Result, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if err := p.fails[item]; err != nil {
			return reconcile.Result{}, err
		}
		if p.taken[item] = taken; !taken {
			delete(p.taken, item)
		}
		return reconcile.Continue, nil
	}
	return reconcile.Func("place", func(ctx context.Context, run appRun) (reconcile.Result, error) {
		if there, err := run.Confirm(ctx); err != nil || !there {
			return reconcile.Halt("Gone", "the object is gone"), err
		}
		return set(run.Item(), true)
	}).Undo(func(_ context.Context, run appRun) (reconcile.Result, error) { return set(run.Item(), false) })
}

func (p *places) want(t *testing.T, reason string, want ...string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if got := slices.Sorted(maps.Keys(p.taken)); !slices.Equal(got, want) {
		t.Errorf("%s: places are taken by %v, want %v", reason, got, want)
	}
}

// setShards makes an app have items, each with the given value.
func (b *pipelineBench) setShards(value string, names ...string) {
	b.Helper()
	live := b.live()
	live.Spec.NodeSelector = map[string]string{}
	for _, name := range names {
		live.Spec.NodeSelector[name] = value
	}
	if err := b.User.Update(b.Context(), live); err != nil {
		b.Fatal(err)
	}
	b.caughtUp()
}

// restart forgets everything that a process knows.
func (b *pipelineBench) restart() {
	b.Helper()
	b.Environment.Memory = reconcile.NewMemory()
	b.pipeline = reconcile.NewPipeline("test", b.steps...)
	if err := b.pipeline.Setup(b.Environment); err != nil {
		b.Fatal(err)
	}
}

// settled makes passes until the record is of the given items.
func (b *pipelineBench) settled(record string) {
	b.Helper()
	for range 50 {
		b.caughtUp()
		b.CaughtUp(b.T, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: b.app.Namespace, Name: "web-a"}})
		b.CaughtUp(b.T, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: b.app.Namespace, Name: "web-b"}})
		if _, err := b.pass(); err != nil {
			b.Fatal(err)
		}
		if b.live().Annotations["items.trueup.dev/test.shards"] == record {
			return
		}
	}
	b.Fatalf("the record is %v, want %s", b.live().Annotations, record)
}

func (b *pipelineBench) configs() []string {
	b.Helper()
	list := &corev1.ConfigMapList{}
	if err := b.User.List(b.Context(), list, client.InNamespace(b.app.Namespace), client.HasLabels{resources.StepLabel}); err != nil {
		b.Fatal(err)
	}
	var names []string
	for _, config := range list.Items {
		names = append(names, config.Name+" "+config.Data["of"]+" "+config.Labels[resources.StepLabel])
	}
	return names
}

// What is done for an item is undone when it goes, also by a process that knows
// nothing of it, and a pass in which nothing changes sends nothing.
func TestForEach(t *testing.T) {
	places := newPlaces()
	b := newPipelineBench(t, reconcile.ForEach("shards", shardsOf, shardConfig(), places.step()))
	b.want("no items")
	b.quiet()

	b.setShards("x", "b", "a")
	b.Requests.Reset()
	b.want("two items")
	b.wrote("the record first", "patch myapps", "patch configmaps", "patch configmaps")
	places.want(t, "two items", "a", "b")
	want := []string{"web-a x test.shards_a.ConfigMap", "web-b x test.shards_b.ConfigMap"}
	if diff := cmp.Diff(want, b.configs()); diff != "" {
		t.Errorf("children (-want +got):\n%s", diff)
	}
	b.settled(`["a","b"]`)
	b.quiet()

	b.setShards("y", "b")
	b.restart()
	b.settled(`["b"]`)
	places.want(t, "a went", "b")
	if diff := cmp.Diff([]string{"web-b y test.shards_b.ConfigMap"}, b.configs()); diff != "" {
		t.Errorf("children (-want +got):\n%s", diff)
	}
	b.quiet()

	b.setShards("z")
	b.settled("")
	places.want(t, "none is left")
	if got := b.configs(); len(got) > 0 {
		t.Errorf("children %v are left", got)
	}
	if _, there := b.live().Annotations["items.trueup.dev/test.shards"]; there {
		t.Error("an empty record is left")
	}
	b.quiet()
}

// One item that fails holds up no other, coming or going, and what could not be
// undone stays in the record.
func TestForEachKeepsItemsApart(t *testing.T) {
	boom := errors.New("boom")
	places := newPlaces()
	b := newPipelineBench(t, reconcile.ForEach("shards", shardsOf, places.step()))
	places.fails["b"] = boom
	b.setShards("x", "a", "b", "c")
	if _, err := b.pass(); !errors.Is(err, boom) || err.Error() != "step shards: b: step place: boom" {
		t.Errorf("err = %v, want it to name the item", err)
	}
	places.want(t, "b failed", "a", "c")
	b.setShards("x")
	if _, err := b.pass(); !errors.Is(err, boom) {
		t.Errorf("err = %v, want that of the item that cannot be undone", err)
	}
	places.want(t, "a and c went")
	if got := b.live().Annotations["items.trueup.dev/test.shards"]; got != `["b"]` {
		t.Errorf("the record is %s, want what is not undone", got)
	}
	delete(places.fails, "b")
	b.caughtUp()
	b.want("b goes")
	b.quiet()
}

// Deletion undoes all that there is a record of, whatever the spec says by then.
func TestForEachIsUndoneOnDeletion(t *testing.T) {
	places := newPlaces()
	b := newPipelineBench(t, reconcile.ForEach[app]("shards", shardsOf, guarded{places.step(), ourFinalizer}))
	b.want("no items")
	b.wrote("and so no finalizer")
	b.setShards("x", "a", "b")
	b.want("two items")
	b.setShards("x", "b")
	if err := b.User.Delete(t.Context(), b.live()); err != nil {
		t.Fatal(err)
	}
	b.caughtUp()
	b.restart()
	b.want("deleted")
	places.want(t, "deleted")
	if err := b.User.Get(t.Context(), client.ObjectKeyFromObject(b.app), &v1.MyApp{}); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("err = %v, want the object gone", err)
	}
}

// Items that went are undone while the others are held up, or not wanted at all.
func TestForEachInOthers(t *testing.T) {
	places := newPlaces()
	gate := &scripted{}
	shards := reconcile.ForEach("shards", shardsOf, places.step())
	b := newPipelineBench(t, reconcile.Graph(
		reconcile.At("gate", gate.step("gate")),
		reconcile.At("shards", reconcile.When(func(app *v1.MyApp) bool { return app.Spec.Port != 1 }, shards)).After("gate"),
	))
	b.setShards("x", "a", "b")
	b.want("two items")
	gate.forward = func(appRun) (reconcile.Result, error) { return reconcile.Wait("W", "w"), nil }
	b.setShards("x", "b", "c")
	b.want("held up")
	places.want(t, "a went, and c has to wait", "b")
	b.caughtUp()
	live := b.live()
	live.Spec.Port = 1
	if err := b.User.Update(t.Context(), live); err != nil {
		t.Fatal(err)
	}
	b.caughtUp()
	b.want("not wanted")
	places.want(t, "not wanted")
	if got, there := b.live().Annotations["items.trueup.dev/test.shards"]; there {
		t.Errorf("the record %s is left", got)
	}
	b.quiet()
}

func TestForEachHandles(t *testing.T) {
	shared, own := reconcile.NewValue[string](), reconcile.NewValue[string]()
	var seen []string
	shards := reconcile.ForEach("shards", shardsOf, reconcile.Func("own", func(_ context.Context, run appRun) (reconcile.Result, error) {
		outer, _ := shared.Get(run)
		if _, ok := own.Get(run); ok {
			t.Error("an item sees what another has set")
		}
		own.Set(run, outer+" "+run.Item())
		return reconcile.Continue, nil
	}))
	b := newPipelineBench(t,
		reconcile.Func("before", func(_ context.Context, run appRun) (reconcile.Result, error) {
			shared.Set(run, "of")
			_, ok := own.Get(shards.Of(run, "a"))
			if ok {
				t.Error("there is something before the step has run")
			}
			return reconcile.Continue, nil
		}), shards,
		reporter{name: "after", compute: func(run appRun) (reconcile.Result, error) {
			seen = nil
			for _, item := range []string{"a", "b", "c"} {
				if got, ok := own.Get(shards.Of(run, item)); ok {
					seen = append(seen, got)
				}
			}
			if got, ok := own.Get(run); ok {
				t.Errorf("%s is there without an item", got)
			}
			return reconcile.Continue, nil
		}})
	b.setShards("x", "a", "b")
	b.want("two items")
	if diff := cmp.Diff([]string{"of a", "of b"}, seen); diff != "" {
		t.Errorf("seen afterwards (-want +got):\n%s", diff)
	}
	b.quiet()
}

func TestForEachRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		items []string
		notes string
		want  string
	}{
		"empty":      {items: []string{"a", ""}, want: `the item ""`},
		"twice":      {items: []string{"a", "b", "a"}, want: `the item "a" is there twice`},
		"no label":   {items: []string{"a.b"}, want: `the item "a.b"`},
		"too long":   {items: []string{strings.Repeat("a", 60)}, want: "more than 63 characters"},
		"unreadable": {items: []string{"a"}, notes: "a,b", want: "items.trueup.dev/test.shards, which lists what there is to undo, cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			places := newPlaces()
			b := newPipelineBench(t, reconcile.ForEach("shards", func(app) []string { return test.items }, places.step()))
			if test.notes != "" {
				b.app.Annotations = map[string]string{"items.trueup.dev/test.shards": test.notes}
				if err := b.User.Update(t.Context(), b.app); err != nil {
					t.Fatal(err)
				}
				b.caughtUp()
			}
			_, err := b.pass()
			if !reconcile.IsTerminal(err) || !strings.Contains(textOf(err), test.want) {
				t.Errorf("err = %v, want a terminal one that says %s", err, test.want)
			}
			places.want(t, "nothing is done")
			if got := b.live().Annotations["items.trueup.dev/test.shards"]; got != test.notes {
				t.Errorf("the record is %q, want %q", got, test.notes)
			}
		})
	}
}

// An item that is in the record, and that cannot be marked by the names that steps
// have now, is let go of: else the object could never be deleted.
func TestForEachLetsGoOfAnItemThatCannotBeMarked(t *testing.T) {
	long := strings.Repeat("a", 60)
	for name, end := range map[string]func(*pipelineBench){
		"it is not wanted any more": func(b *pipelineBench) { b.setShards("x", "good") },
		"the owner is deleted": func(b *pipelineBench) {
			if err := b.User.Delete(t.Context(), b.app); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			places := newPlaces()
			places.taken[long] = true
			b := newPipelineBench(t, guarded{reconcile.Func("guard", nothing), ourFinalizer},
				reconcile.ForEach("shards", shardsOf, places.step(),
					resources.EnsureFrom(func(_ *v1.MyApp, run appRun) (*corev1.ConfigMap, error) {
						return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: run.Item()}}, nil
					})))
			b.app.Finalizers = []string{ourFinalizer}
			b.app.Annotations = map[string]string{"items.trueup.dev/test.shards": `["` + long + `"]`}
			if err := b.User.Update(t.Context(), b.app); err != nil {
				t.Fatal(err)
			}
			end(b)
			b.caughtUp()
			if _, err := b.pass(); err != nil {
				t.Fatal(err)
			}
			if places.taken[long] {
				t.Error("the item was not undone")
			}
		})
	}
}

func TestForEachAtSetup(t *testing.T) {
	annotating := described{reconcile.Description{
		Name: "notes", Kind: "test", Finalizers: []string{ourFinalizer},
		Annotations: func(client.Object) map[string]string { return nil },
	}}
	pipeline := reconcile.NewPipeline("test",
		reconcile.ForEach[app]("shards", nil, countReplicas(1), annotating, reconcile.Func("same", nothing), reconcile.Func("same", nothing),
			reconcile.ForEach("inner", shardsOf), reconcile.Func[app]("wrong", nil)).Limit(0),
		reconcile.Func("shards_a.Deployment", nothing),
	)
	err := pipeline.Setup(reconcile.Environment{Client: fake.NewClientBuilder().WithScheme(scheme(t)).Build()})
	for _, want := range []string{
		`step "shards": the function that names the items is nil`, `Limit: 0 is less than 1`,
		`step "count": a step that reports`, `step "notes": a step that needs annotations`, `step "same": the name is empty, or taken`,
		`step "inner": items of items`, `step "wrong": the function is nil`, `step "shards_a.Deployment": a name that begins with shards_`,
	} {
		if !strings.Contains(textOf(err), want) {
			t.Errorf("the error does not say %s:\n%v", want, err)
		}
	}
}

// Two items that name the same child would undo each other's.
func TestForEachItemsDoNotShareAChild(t *testing.T) {
	b := newPipelineBench(t, reconcile.ForEach("shards", shardsOf, resources.EnsureFrom(func(_ *v1.MyApp, run appRun) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "one"}, Data: map[string]string{"of": run.Item()}}, nil
	})))
	b.setShards("x", "a", "b")
	if _, err := b.pass(); !reconcile.IsTerminal(err) || !strings.Contains(textOf(err), "is kept by step shards_") {
		t.Errorf("err = %v, want the second of the two refused", err)
	}
}
