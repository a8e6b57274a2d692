package reconcile_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/trueup-dev/trueup/reconcile"
)

type sightings struct {
	mu  sync.Mutex
	all []returned
}

func (r returned) text() string {
	if r.err != nil {
		return fmt.Sprintf("%v, terminal %v", r.err, reconcile.IsTerminal(r.err))
	}
	return r.result.String()
}

func joined(all ...returned) returned {
	var join reconcile.Join
	for _, outcome := range all {
		join.Add(outcome.result, outcome.err)
	}
	result, err := join.Outcome()
	return returned{result, err}
}

// However a list of outcomes is split into joins of joins, the same comes out: so
// nesting combinators changes nothing.
func TestJoinsAreAssociative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(outcomes), 0, 6).Draw(t, "outcomes")
		i := rapid.IntRange(0, len(all)).Draw(t, "split")
		j := rapid.IntRange(i, len(all)).Draw(t, "split again")
		want := joined(all...).text()
		if got := joined(joined(all[:i]...), joined(all[i:j]...), joined(all[j:]...)).text(); got != want {
			t.Fatalf("split: %s, in one: %s", got, want)
		}
		if got := joined(joined(joined(all[:i]...), joined(all[i:j]...)), joined(all[j:]...)).text(); got != want {
			t.Fatalf("to the left: %s, in one: %s", got, want)
		}
	})
}

// The order of a join decides about its words and nothing else.
func TestJoinsAreCommutativeButForTheirWords(t *testing.T) {
	meaning := func(r returned) string {
		result, err := reconcile.Return(r.result, r.err)
		return fmt.Sprint(r.result.Outcome(), result.RequeueAfter, err != nil, reconcile.IsTerminal(err))
	}
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(outcomes), 0, 6).Draw(t, "outcomes")
		other := rapid.Permutation(all).Draw(t, "in another order")
		if a, b := meaning(joined(all...)), meaning(joined(other...)); a != b {
			t.Fatalf("%s in one order, %s in another", a, b)
		}
	})
}

// Whatever tree of combinators steps are in: of what the steps that ran returned,
// no requeue is lost to a success, no error to a result, and no transient error to
// a terminal one.
func TestNoOutcomeIsLostInATree(t *testing.T) {
	env := reconcile.Environment{Client: fake.NewClientBuilder().Build(), Memory: reconcile.NewMemory()}
	place := reconcile.Elsewhere("other", &otherCluster{client: env.Client})
	shapes := map[string]bool{}
	checkOften(t, func(t *rapid.T) {
		seen, count := &sightings{}, 0
		grown := &trees{T: t, place: place, shapes: shapes, leaf: func() step {
			count++
			return seen.leaf(fmt.Sprintf("step-%d", count), outcomes(t))
		}}
		tree := grown.grow(4)
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "b"}}
		pass, err := reconcile.NewRun(env, "test", object)
		if err != nil {
			t.Fatal(err)
		}
		got := returned{}
		got.result, got.err = pass.Do(t.Context(), tree)
		if problem := seen.lost(got); problem != "" {
			t.Fatalf("%s: got %s, the steps returned %v", problem, got.text(), seen.all)
		}
	})
	if len(shapes) != 13 {
		t.Errorf("only %v were drawn", shapes)
	}
}

// checkOften is for trees, of which there are many.
func checkOften(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	for range 8 {
		rapid.Check(t, property)
	}
}

// lost tells what of the outcomes of steps is not in that of the tree.
func (s *sightings) lost(got returned) string {
	want := joined(s.all...)
	controller, controllerErr := reconcile.Return(got.result, got.err)
	after := time.Duration(0)
	transient, terminal := false, false
	outcome := reconcile.Continued
	for _, one := range s.all {
		if d := one.result.RequeueAfter(); d > 0 && (after == 0 || d < after) {
			after = d
		}
		failed := one.err != nil
		transient = transient || failed && !reconcile.IsTerminal(one.err)
		terminal = terminal || failed && reconcile.IsTerminal(one.err)
		outcome = max(outcome, one.result.Outcome())
	}
	switch {
	case transient && (controllerErr == nil || reconcile.IsTerminal(controllerErr)):
		return "a transient error is lost"
	case !transient && terminal && after > 0 && (controllerErr != nil || controller.RequeueAfter != after):
		return "a requeue is lost to a terminal error"
	case !transient && terminal && !reconcile.IsTerminal(got.err):
		return "a terminal error is lost"
	case !transient && !terminal && (controllerErr != nil || controller.RequeueAfter != after):
		return "a requeue is lost to a result"
	case !transient && !terminal && got.result.Outcome() != outcome:
		return "what holds back is lost"
	case want.err != nil && !sameErrors(want.err, got.err):
		return "an error is lost to another"
	}
	return ""
}

// sameErrors reports whether all causes of one error are in the other.
func sameErrors(want, got error) bool {
	for _, text := range []string{"boom", "refused"} {
		if strings.Contains(want.Error(), text) && (got == nil || !strings.Contains(got.Error(), text)) {
			return false
		}
	}
	return true
}

// Whatever tree of combinators steps are in: what they say of themselves is in what
// the tree says, and so are the rules and the indexes that follow from it.
func TestNothingThatAStepSaysIsLostInATree(t *testing.T) {
	shapes := map[string]bool{}
	kinds := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(kinds); err != nil {
		t.Fatal(err)
	}
	place := reconcile.Elsewhere("other", &otherCluster{client: fake.NewClientBuilder().WithScheme(kinds).Build()})
	rapid.Check(t, func(t *rapid.T) {
		var leaves []step
		grown := &trees{T: t, items: true, shapes: shapes, leaf: func() step {
			leaf := telling{returned{}.step(fmt.Sprintf("step-%d", len(leaves)))}
			leaves = append(leaves, leaf)
			return leaf
		}}
		if rapid.Bool().Draw(t, "elsewhere") {
			grown.place = place
		}
		tree := grown.grow(4)
		leaves = append(leaves, telling{returned{}.step("another")}) // so that both put finalizers on
		pipelines := [2]*reconcile.Pipeline[object]{
			reconcile.NewPipeline("test", leaves...), reconcile.NewPipeline("test", tree, leaves[len(leaves)-1]),
		}
		if diff := cmp.Diff(words(pipelines[0].Describe()), words(pipelines[1].Describe())); diff != "" {
			t.Fatalf("the descriptions (-steps +tree):\n%s", diff)
		}
		if grown.place != nil {
			return // where it is another operator's to allow and to wire
		}
		rules := [2]any{}
		for i, pipeline := range pipelines {
			made, err := pipeline.PolicyRules(kinds, nil)
			if err != nil {
				t.Fatal(err)
			}
			rules[i] = made
		}
		if diff := cmp.Diff(rules[0], rules[1]); diff != "" {
			t.Fatalf("the rules (-steps +tree):\n%s", diff)
		}
	})
	if len(shapes) != 14 {
		t.Errorf("only %v were drawn", shapes)
	}
}

// words lists all that steps say of themselves and that is not theirs alone.
func words(about reconcile.Description) (all []string) {
	say := func(what string, values ...any) { all = append(all, what+" "+fmt.Sprint(values...)) }
	about.Walk(func(about reconcile.Description) {
		for _, name := range about.Finalizers {
			say("finalizer", name)
		}
		for _, name := range about.FormerFinalizers {
			say("former finalizer", name)
		}
		for _, name := range about.FormerNames {
			say("former name", name)
		}
		for _, object := range about.Owns {
			say("owns", fmt.Sprintf("%T", object))
		}
		for _, watch := range about.Watches {
			say("watches", fmt.Sprintf("%T", watch.Object), watch.Index)
		}
		for _, index := range about.Indexes {
			say("reads by", fmt.Sprintf("%T", index.Object), index.Name)
		}
		for _, access := range about.Access {
			say("asks", fmt.Sprintf("%T", access.Object), access.Verbs)
		}
		if about.Err != nil && !strings.Contains(about.Err.Error(), "does not reach") {
			say("wrong", errors.Unwrap(about.Err))
		}
	})
	slices.Sort(all)
	return all
}
