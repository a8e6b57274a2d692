package steptest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/trueup-dev/trueup/testing/cluster"
)

// Whether an error is retried, and after how long, is part of what is wanted.
func TestErrorsAreRetriedOrNot(t *testing.T) {
	kinds, err := served()
	if err != nil {
		t.Fatal(err)
	}
	retried, terminal := errors.New("odd"), ctrlreconcile.TerminalError(errors.New("odd"))
	cases := map[string]struct {
		err  error
		want Want
		tell string // what is told, empty if nothing is
	}{
		"retried":                  {retried, Want{Error: "odd"}, ""},
		"retried, after":           {retried, Want{Error: "odd", After: 5 * time.Millisecond}, ""},
		"retried, after too long":  {retried, Want{Error: "odd", After: time.Minute}, "looks again after"},
		"retried, not as wanted":   {retried, Want{Error: "odd", Terminal: true}, "the error is retried: true, want false"},
		"terminal":                 {terminal, Want{Error: "odd", Terminal: true}, ""},
		"terminal, after":          {terminal, Want{Error: "odd", Terminal: true, After: time.Minute}, "looks again after 0s, want 1m0s"},
		"terminal, not as wanted":  {terminal, Want{Error: "odd"}, "the error is retried: false, want true"},
		"no error, but wanted one": {nil, Want{Error: "odd", Terminal: true}, `the error is "", want "odd"`},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			c := Case{
				Kinds: kinds, Given: []client.Object{saying("hello")}, Want: test.want,
				Setup: habit(func(context.Context, ctrl.Manager, *corev1.Service) error { return test.err }),
			}
			shared := cluster.Shared(t)
			for place, wrong := range map[string][]string{
				"in memory": c.check(t), "on a cluster": c.checkOn(t, shared.Config(), shared.Namespace(t)),
			} {
				if (test.tell == "") != (len(wrong) == 0) || len(wrong) > 1 || test.tell != "" && !strings.HasPrefix(wrong[0], test.tell) {
					t.Errorf("%s: %q is told, want %q", place, wrong, test.tell)
				}
			}
		})
	}
}
