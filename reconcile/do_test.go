package reconcile_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/trueup-dev/trueup/reconcile"
)

// reporting makes a step a reporting one.
type reporting struct{ step }

func (r reporting) Describe() reconcile.Description {
	about := r.step.Describe()
	about.Reporting = true
	return about
}

func TestDoRunsReportingSteps(t *testing.T) {
	boom := errors.New("boom")
	script := &script{}
	for name, test := range map[string]struct {
		reason  string
		step    step
		want    []string
		wantErr error
	}{
		"one":    {"it runs when it is called", reporting{script.step("status", returned{})}, []string{"status"}, nil},
		"failed": {"its error is returned", reporting{script.step("status", returned{err: boom})}, []string{"status"}, boom},
		"combinator": {
			"what works runs first, then what reports, whatever came of the first",
			reconcile.Sequence[object](reporting{script.step("status", returned{})}, script.step("work", returned{err: boom})),
			[]string{"work", "status"}, boom,
		},
	} {
		t.Run(name, func(t *testing.T) {
			pass := newRun(t)
			for range 2 {
				script.ran = nil
				if _, err := pass.Do(t.Context(), test.step); !errors.Is(err, test.wantErr) || (err == nil) != (test.wantErr == nil) {
					t.Errorf("%s: err = %v, want %v", test.reason, err, test.wantErr)
				}
				if diff := cmp.Diff(test.want, script.ran); diff != "" {
					t.Errorf("%s: ran (-want +got):\n%s", test.reason, diff)
				}
			}
		})
	}
}

// A step that wraps others through Do keeps their requeue and their names.
func TestAWrapperReturnsWhatDoReturned(t *testing.T) {
	boom := errors.New("boom")
	inner := reconcile.All(
		(&script{}).step("fails", returned{err: boom}), (&script{}).step("polls", returned{result: reconcile.Continue.After(time.Minute)}),
	)
	wrapper := reconcile.Func("outer", func(ctx context.Context, pass run) (reconcile.Result, error) { return pass.Do(ctx, inner) })
	pass := newRun(t)
	_, err := pass.Do(t.Context(), wrapper)
	if want := "step fails: boom (asked to run again after 1m0s)"; err == nil || err.Error() != want {
		t.Errorf("err = %v, want %s", err, want)
	}
	reports := pass.Reports()
	if got := reports[len(reports)-1]; got.Step != "outer" || got.Message != "step fails: boom" {
		t.Errorf("report = %+v, want the error without the requeue", got)
	}

	same := reconcile.Func("same", func(ctx context.Context, pass run) (reconcile.Result, error) {
		return pass.Do(ctx, (&script{}).step("same", returned{err: boom}))
	})
	pass = newRun(t)
	if _, err := pass.Do(t.Context(), same); err == nil || err.Error() != "step same: boom" || pass.Reports()[0].Message != "boom" {
		t.Errorf("err = %v, reports = %+v, want the name once", err, pass.Reports())
	}

	terminal := reconcile.Func("terminal", func(ctx context.Context, pass run) (reconcile.Result, error) {
		return pass.Do(ctx, reconcile.All(
			(&script{}).step("a", returned{err: reconcile.Terminal(boom)}), (&script{}).step("b", returned{result: reconcile.Continue.After(time.Minute)})))
	})
	result, err := reconcile.Return(newRun(t).Do(t.Context(), terminal))
	if err != nil || result.RequeueAfter != time.Minute {
		t.Errorf("%v, %v: want the requeue that another step asked for", result, err)
	}
}

func TestDoRefusesAStepThatWasPutTogetherWrongly(t *testing.T) {
	var pointer *reconcile.FuncStep[object]
	for want, wrong := range map[string]step{
		"step nil: the step is nil":                     nil,
		"step nil: the step is nil, a *reconcile.FuncS": pointer,
		"step work: the function is nil":                reconcile.Func[object]("work", nil),
		"step below: the function is nil":               reconcile.All[object](reconcile.Func[object]("below", nil)),
	} {
		_, err := newRun(t).Do(t.Context(), wrong)
		if err == nil || !reconcile.IsTerminal(err) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("err = %v, want a terminal one that says %s", err, want)
		}
	}
}

func TestNewRunNeedsAnObject(t *testing.T) {
	env := reconcile.Environment{Client: fake.NewClientBuilder().Build()}
	if _, err := reconcile.NewRun[*corev1.ConfigMap](env, "test", nil); err == nil || !strings.Contains(err.Error(), "the object is nil") {
		t.Errorf("err = %v, want it to say so", err)
	}
}
