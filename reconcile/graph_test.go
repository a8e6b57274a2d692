package reconcile_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// journal notes what ran, in which order.
type journal struct {
	mu  sync.Mutex
	ran []string
}

func (j *journal) note(entry string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ran = append(j.ran, entry)
}

func (j *journal) step(name string, outcome returned) *reconcile.FuncStep[object] {
	act := func(entry string) reconcile.Action[object] {
		return func(context.Context, run) (reconcile.Result, error) {
			j.note(entry)
			return outcome.result, outcome.err
		}
	}
	return reconcile.Func(name, act(name)).Undo(act("undo " + name))
}

// place returns where an entry is, -1 if nowhere.
func (j *journal) place(entry string) int {
	for i, ran := range j.ran {
		if ran == entry {
			return i
		}
	}
	return -1
}

// diamond is a graph in which c and d are after b, e after both, and a alone;
// f is after b whatever comes of it.
func diamond(j *journal, of map[string]returned) step {
	at := func(name string) *reconcile.Node[object] { return reconcile.At(name, j.step(name, of[name])) }
	return reconcile.Graph(
		at("e").After("c", "d"), at("a"), at("c").After("b"), at("d").After("b"), at("b"), at("f").AfterTrying("b"),
	)
}

func TestGraph(t *testing.T) {
	boom, no := errors.New("boom"), reconcile.Terminal(errors.New("no"))
	for name, test := range map[string]struct {
		reason  string
		of      map[string]returned
		ran     string
		undid   string
		want    reconcile.Result
		wantErr string
	}{
		"ready": {reason: "all run", ran: "abcdef", undid: "abcdef"},
		"failed": {
			reason: "only what is after it is held up", of: map[string]returned{"c": {err: boom}},
			ran: "abcdf", undid: "acdef", wantErr: "step c: boom",
		},
		"waits": {
			reason: "waiting holds up, also through others, but not who only wants it tried",
			of:     map[string]returned{"b": {result: reconcile.Wait("W", "w")}},
			ran:    "abf", undid: "abcdef", want: reconcile.Wait("W", "w"),
		},
		"halts": {
			reason: "so does halting", of: map[string]returned{"d": {result: reconcile.Halt("H", "h")}},
			ran: "abcdf", undid: "acdef", want: reconcile.Halt("H", "h"),
		},
		"polls": {
			reason: "a requeue does not", of: map[string]returned{"b": {result: reconcile.Continue.After(time.Second)}},
			ran: "abcdef", undid: "abcdef", want: reconcile.Continue.After(time.Second),
		},
		"joins": {
			reason: "in the order of the list, transient", of: map[string]returned{"d": {err: no}, "c": {err: boom}, "a": {result: reconcile.Wait("W", "w").After(time.Second)}},
			ran: "abcdf", undid: "acdef", wantErr: "step c: boom; step d: no (asked to run again after 1s)",
		},
		"last": {
			reason: "undoing is held up the other way around", of: map[string]returned{"e": {err: boom}},
			ran: "abcdef", undid: "aef", wantErr: "step e: boom",
		},
		"tried": {
			reason: "who is after another whatever comes of it holds nobody up", of: map[string]returned{"f": {err: boom}},
			ran: "abcdef", undid: "abcdef", wantErr: "step f: boom",
		},
	} {
		t.Run(name, func(t *testing.T) {
			j := &journal{}
			graph := diamond(j, test.of)
			got, err := newRun(t).Do(t.Context(), graph)
			if got != test.want || textOf(err) != test.wantErr || test.wantErr != "" && reconcile.IsTerminal(err) {
				t.Errorf("%s: got %v, %v; want %v, %q", test.reason, got, err, test.want, test.wantErr)
			}
			for _, name := range names(6) {
				if ran := j.place(name) >= 0; ran != strings.Contains(test.ran, name) {
					t.Errorf("%s: %s ran: %v", test.reason, name, ran)
				}
			}
			inOrder(t, j, "", [][2]string{{"b", "c"}, {"b", "d"}, {"b", "f"}, {"c", "e"}, {"d", "e"}})

			j.ran = nil
			if _, err := graph.Finalize(t.Context(), newRun(t)); (err != nil) != (test.wantErr != "") {
				t.Errorf("%s: Finalize: %v", test.reason, err)
			}
			for _, name := range names(6) {
				if undid := j.place("undo "+name) >= 0; undid != strings.Contains(test.undid, name) {
					t.Errorf("%s: %s was undone: %v", test.reason, name, undid)
				}
			}
			inOrder(t, j, "undo ", [][2]string{{"c", "b"}, {"d", "b"}, {"f", "b"}, {"e", "c"}, {"e", "d"}})
		})
	}
}

// inOrder checks that, where both of a pair ran, they ran in this order.
func inOrder(t *testing.T, j *journal, prefix string, pairs [][2]string) {
	t.Helper()
	for _, pair := range pairs {
		first, second := j.place(prefix+pair[0]), j.place(prefix+pair[1])
		if first >= 0 && second >= 0 && first > second {
			t.Errorf("%s%s came after %s: %v", prefix, pair[0], pair[1], j.ran)
		}
	}
}

// unwanted is a step that is not wanted any more.
type unwanted struct{ step }

func (u unwanted) Describe() reconcile.Description {
	about := u.step.Describe()
	about.Unwanted = func(client.Object) bool { return true }
	return about
}

// A step that is held up is not updated, but what is not wanted any more goes.
func TestAGraphUndoesWhatIsHeldUpAndNotWanted(t *testing.T) {
	j := &journal{}
	retiring := false
	old := j.step("old", returned{result: reconcile.Wait("Deleting", "old goes")})
	old.Undo(func(_ context.Context, pass run) (reconcile.Result, error) {
		j.note("undo old")
		retiring = pass.Retiring()
		return reconcile.Wait("Deleting", "old goes"), nil
	})
	pass := newRun(t)
	got, err := pass.Do(t.Context(), reconcile.Graph(
		reconcile.At("broken", j.step("broken", returned{err: errors.New("boom")})),
		reconcile.At("group", reconcile.All[object](j.step("kept", returned{}), unwanted{old})).After("broken"),
	))
	if want := "step broken: boom"; textOf(err) != want {
		t.Errorf("got %v, %v; want %s", got, err, want)
	}
	if diff := cmp.Diff([]string{"broken", "undo old"}, j.ran); diff != "" || !retiring {
		t.Errorf("ran (-want +got), retiring %v:\n%s", retiring, diff)
	}
	var states []string
	for _, report := range pass.Reports() {
		states = append(states, report.Step+" "+report.State.String())
	}
	if diff := cmp.Diff([]string{"broken Failed", "old Waiting"}, states); diff != "" {
		t.Errorf("what is held up has no report (-want +got):\n%s", diff)
	}
}

func TestAGraphIsCheckedAtSetup(t *testing.T) {
	node := func(name string) *reconcile.Node[object] { return reconcile.At(name, returned{}.step(name)) }
	for want, graph := range map[string]step{
		`node "a" is after "x", which is not in the graph`:              reconcile.Graph(node("a").After("x")),
		`nodes wait for each other: a is after a`:                       reconcile.Graph(node("a").After("a")),
		`nodes wait for each other: a is after c is after b is after a`: reconcile.Graph(node("a").After("c"), node("b").AfterTrying("a"), node("c").After("b")),
		`node "a": a node needs a name of its own`:                      reconcile.Graph(node("a"), node("a")),
		`node "": a node needs a name of its own`:                       reconcile.Graph(reconcile.At("", returned{}.step("a"))),
		"the step is nil":                    reconcile.Graph(node("a"), nil),
		"Limit: 0 is less than 1":            reconcile.Graph(node("a")).Limit(0),
		"parallel: Limit: -1 is less than 1": reconcile.Parallel(returned{}.step("a")).Limit(-1),
		"which is not in the graph\nstep net: nodes wait for each other: a is after a": reconcile.Graph(node("a").After("a", "x")).Named("net"),
	} {
		_, err := newRun(t).Do(t.Context(), graph)
		if !reconcile.IsTerminal(err) || !strings.Contains(textOf(err), want) {
			t.Errorf("err = %v, want a terminal one that says %s", err, want)
		}
	}
}
