package reconcile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trueup-dev/trueup/reconcile"
)

func TestIsTerminal(t *testing.T) {
	no, boom := reconcile.Terminal(errors.New("no")), errors.New("boom")
	for name, test := range map[string]struct {
		reason string
		err    error
		want   bool
	}{
		"nil":                  {"no error is not terminal", nil, false},
		"plain":                {"an error is retried by default", boom, false},
		"marked":               {"the mark counts", no, true},
		"wrapped":              {"the mark counts under wrapping", fmt.Errorf("apply: %w", no), true},
		"controller-runtime's": {"authors use that one too", fmt.Errorf("x: %w", ctrlreconcile.TerminalError(boom)), true},
		"all joined":           {"nothing of it is worth a retry", errors.Join(no, no), true},
		"some joined":          {"a part of it is worth a retry", errors.Join(no, boom), false},
		"some, wrapped":        {"wrapping a join changes nothing", fmt.Errorf("x: %w", errors.Join(boom, no)), false},
		"mark around a join":   {"the mark is about the whole", reconcile.Terminal(errors.Join(boom, boom)), true},
		"with a reason":        {"a reason changes nothing", reconcile.WithReason("InvalidSpec", no), true},
		"of a step":            {"neither does the step", &reconcile.StepError{Step: "a", Err: no}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := reconcile.IsTerminal(test.err); got != test.want {
				t.Errorf("%s: IsTerminal(%v) = %v, want %v", test.reason, test.err, got, test.want)
			}
		})
	}
}

func TestNilErrorsStayNil(t *testing.T) {
	if err := reconcile.Terminal(nil); err != nil {
		t.Errorf("Terminal(nil) = %v", err)
	}
	if err := reconcile.WithReason("A", nil); err != nil {
		t.Errorf("WithReason(nil) = %v", err)
	}
}

func TestMixedErrorStillTellsWhatIsInIt(t *testing.T) {
	inner := errors.New("inner")
	typed := &reconcile.StepError{Step: "typed", Err: inner}
	_, err := reconcile.Return(reconcile.Result{}, errors.Join(reconcile.Terminal(typed), errors.New("boom")))
	if !errors.Is(err, inner) {
		t.Error("errors.Is does not find what a terminal error wraps")
	}
	found, ok := errors.AsType[*reconcile.StepError](err)
	if !ok || found.Step != "typed" {
		t.Errorf("errors.As found %v, want the step's error", found)
	}
}

// A set of a thousand children that are all refused is told by the first ones; the
// error still holds all of them.
func TestManyErrorsAreToldByTheFirst(t *testing.T) {
	var join reconcile.Join
	for i := range 1000 {
		join.Add(reconcile.Result{}, fmt.Errorf("child %d", i))
	}
	_, err := join.Outcome()
	if want := "; child 9; and 990 more errors"; !strings.HasSuffix(err.Error(), want) {
		t.Errorf("err = %v, want it to end in %q", err, want)
	}
	var all interface{ Unwrap() []error }
	if !errors.As(err, &all) || len(all.Unwrap()) != 1000 {
		t.Error("errors are lost")
	}
}
