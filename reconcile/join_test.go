package reconcile_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/trueup-dev/trueup/reconcile"
)

// returned is what a step returns, for tables.
type returned struct {
	result reconcile.Result
	err    error
}

func TestJoin(t *testing.T) {
	boom, bang := errors.New("boom"), errors.New("bang")
	no := reconcile.Terminal(errors.New("no"))
	for name, test := range map[string]struct {
		reason       string
		add          []returned
		want         reconcile.Result
		wantErrs     []error
		wantTerminal bool
		wantText     string
	}{
		"nothing": {reason: "no steps is Continue", want: reconcile.Continue},
		"soonest": {
			reason: "the soonest requeue wins",
			add:    []returned{{result: reconcile.Continue.After(30 * time.Second)}, {result: reconcile.Continue.After(10 * time.Second)}, {}},
			want:   reconcile.Continue.After(10 * time.Second),
		},
		"wait over halt": {
			reason: "what holds back most counts, and keeps others' requeue",
			add:    []returned{{result: reconcile.Halt("H", "h").After(time.Second)}, {result: reconcile.Wait("W", "w")}},
			want:   reconcile.Wait("W", "w").After(time.Second),
		},
		"first wait": {
			reason: "among equals the first has the word",
			add:    []returned{{result: reconcile.Wait("A", "a")}, {result: reconcile.Wait("B", "b")}},
			want:   reconcile.Wait("A", "a"),
		},
		"error over wait": {
			reason:   "an error is not lost to a result",
			add:      []returned{{result: reconcile.Wait("A", "a")}, {err: boom}},
			wantErrs: []error{boom}, wantText: "boom",
		},
		"two errors": {
			reason:   "no error is lost to another",
			add:      []returned{{err: boom}, {err: bang}},
			wantErrs: []error{boom, bang}, wantText: "boom; bang",
		},
		"terminal and transient": {
			reason:   "a transient error is not lost to a terminal one",
			add:      []returned{{err: no}, {err: boom}},
			wantErrs: []error{boom, no},
		},
		"all terminal": {
			reason:   "only terminal errors are terminal together",
			add:      []returned{{err: no}, {err: no}},
			wantErrs: []error{no}, wantTerminal: true,
		},
		"error and requeue": {
			reason:   "the error wins and says what it won over",
			add:      []returned{{result: reconcile.Continue.After(30 * time.Second)}, {err: boom}},
			wantErrs: []error{boom}, wantText: "asked to run again after 30s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var join reconcile.Join
			for _, outcome := range test.add {
				join.Add(outcome.result, outcome.err)
			}
			got, err := join.Outcome()
			if got != test.want {
				t.Errorf("%s: result = %v, want %v", test.reason, got, test.want)
			}
			if (err != nil) != (len(test.wantErrs) > 0) {
				t.Fatalf("%s: err = %v, want %v", test.reason, err, test.wantErrs)
			}
			for _, want := range test.wantErrs {
				if !errors.Is(err, want) {
					t.Errorf("%s: err = %v, lacks %v", test.reason, err, want)
				}
			}
			if reconcile.IsTerminal(err) != test.wantTerminal {
				t.Errorf("%s: terminal = %v, want %v", test.reason, reconcile.IsTerminal(err), test.wantTerminal)
			}
			if err != nil && !strings.Contains(err.Error(), test.wantText) {
				t.Errorf("%s: err = %q, want it to say %q", test.reason, err, test.wantText)
			}
		})
	}
}

// A join of joins is the join of all, so that nesting combinators changes
// nothing.
func TestJoinIsAssociative(t *testing.T) {
	outcomes := []returned{
		{},
		{result: reconcile.Continue.After(30 * time.Second)},
		{result: reconcile.Wait("W", "w").After(10 * time.Second)},
		{result: reconcile.Halt("H", "h")},
		{err: errors.New("boom")},
		{err: reconcile.Terminal(errors.New("no"))},
	}
	join := func(a, b returned) returned {
		var j reconcile.Join
		j.Add(a.result, a.err)
		j.Add(b.result, b.err)
		result, err := j.Outcome()
		return returned{result, err}
	}
	text := func(r returned) string {
		if r.err != nil {
			return r.err.Error()
		}
		return r.result.String()
	}
	for _, a := range outcomes {
		for _, b := range outcomes {
			for _, c := range outcomes {
				left, right := join(join(a, b), c), join(a, join(b, c))
				if text(left) != text(right) || reconcile.IsTerminal(left.err) != reconcile.IsTerminal(right.err) {
					t.Errorf("(%s, %s), %s = %s, but %s, (%s, %s) = %s",
						text(a), text(b), text(c), text(left), text(a), text(b), text(c), text(right))
				}
			}
		}
	}
}
