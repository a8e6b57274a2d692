package reconcile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/trueup-dev/trueup/reconcile"
)

func TestSwitch(t *testing.T) {
	mode := func(o object) string { return o.Data["mode"] }
	for name, overlap := range map[string]bool{"one after the other": false, "overlap": true} {
		t.Run(name, func(t *testing.T) {
			j, passes := &journal{}, newPasses(t)
			choice := reconcile.Switch(mode,
				reconcile.Case[object]("a", j.step("a1", returned{}), j.step("a2", returned{})),
				reconcile.Case[object]("b", j.step("b", returned{})),
				reconcile.Otherwise[object](j.step("c", returned{})))
			if overlap {
				choice.Overlap()
			}
			for _, test := range []struct {
				mode string
				want []string
				late bool // the chosen comes last
			}{
				{"a", []string{"undo c", "undo b", "a1", "a2"}, true},
				{"b", []string{"undo a2", "undo a1", "b"}, true},
				{"x", []string{"undo b", "c"}, true},
				{"x", []string{"c"}, true},
			} {
				want := test.want
				if overlap {
					chosen := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return strings.HasPrefix(s, "undo") })
					undone := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return !strings.HasPrefix(s, "undo") })
					want = append(chosen, undone...)
				}
				if _, got, err := passes.do(choice, "mode", test.mode); got != reconcile.Continue || err != nil {
					t.Errorf("got %v, %v", got, err)
				}
				j.want(t, "mode "+test.mode, want...)
			}
		})
	}
}

func TestSwitchWaits(t *testing.T) {
	waits := returned{result: reconcile.Wait("W", "w")}
	for name, test := range map[string]struct {
		overlap bool
		mode    string
		want    string
	}{
		"undone first":     {false, "a", "undo b"},
		"undone last":      {true, "b", "b"},
		"chosen after all": {false, "none", "undo b"},
	} {
		t.Run(name, func(t *testing.T) {
			j := &journal{}
			choice := reconcile.Switch(func(o object) string { return o.Data["mode"] },
				reconcile.Case[object]("a", j.step("a", waits)), reconcile.Case[object]("b", j.step("b", waits)))
			if test.overlap {
				choice.Overlap()
			}
			if _, got, err := newPasses(t).do(choice, "mode", test.mode); got != waits.result || err != nil {
				t.Errorf("got %v, %v", got, err)
			}
			j.want(t, name, test.want)
			if _, err := choice.Finalize(t.Context(), newRun(t)); err != nil {
				t.Error(err)
			}
			j.want(t, "on deletion", "undo b")
		})
	}
}

func TestChoicesAreCheckedAtSetup(t *testing.T) {
	a := returned{}.step("a")
	mode := func(object) string { return "" }
	for want, wrong := range map[string]step{
		"step when: the function that tells whether the steps are wanted is nil": reconcile.When(nil, a),
		"step switch: the function that chooses is nil":                          reconcile.Switch(nil, reconcile.Case("x", a)),
		`branch 1: the name "x" is empty or taken`:                               reconcile.Switch(mode, reconcile.Case("x", a), reconcile.Case[object]("x")),
		"branch 0 is empty": reconcile.Switch(mode, reconcile.Branch[object]{}),
		"step mode: branch": reconcile.Switch(mode, reconcile.Branch[object]{}).Named("mode"),
	} {
		_, err := newRun(t).Do(t.Context(), wrong)
		if !reconcile.IsTerminal(err) || !strings.Contains(textOf(err), want) {
			t.Errorf("err = %v, want a terminal one that says %s", err, want)
		}
	}
}
