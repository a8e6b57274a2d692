package status_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
)

// Whatever words a step has, in whatever outcome, the API server takes the status in,
// once, beside a hundred conditions of others.
func TestOddWordsAreToldOnce(t *testing.T) {
	for name, words := range map[string]struct{ reason, message string }{
		"a reason that is none": {"not ready, at all!", "the zone is locked"},
		"no words":              {"", ""},
		"a long reason":         {strings.Repeat("Long", 300), "the zone is locked"},
		"a long message":        {"Refused", strings.Repeat("the zone is locked; ", 5000)},
		"long characters":       {"Refused", strings.Repeat("größer als 32 KiB…", 3000)},
		"broken characters":     {"Refused", "half of a character: \xe2\x82"},
		"control characters":    {"Refused", "\x00\x1b[31mred\x7f\r\n"},
	} {
		for kind, outcome := range map[string]func() (reconcile.Result, error){
			"wait": func() (reconcile.Result, error) { return reconcile.Wait(words.reason, words.message), nil },
			"halt": func() (reconcile.Result, error) { return reconcile.Halt(words.reason, words.message), nil },
			"error": func() (reconcile.Result, error) {
				return reconcile.Result{}, reconcile.WithReason(words.reason, errors.New(words.message))
			},
			"panic": func() (reconcile.Result, error) { panic(words.message) },
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, newApp())
				b.sets(func(live map[string]any) {
					var others []any
					for i := range 100 {
						others = append(others, map[string]any{
							"type": fmt.Sprintf("example.com/Others%d", i), "status": "True", "reason": "Theirs", "message": "",
							"lastTransitionTime": "2026-01-01T00:00:00Z",
						})
					}
					live["conditions"] = others
				})
				pipeline := b.setUp(reconcile.NewPipeline("test", reconcile.Func("first", func(context.Context, appRun) (reconcile.Result, error) {
					return outcome()
				}), status.Summarize(conditions)))
				_, sent, err := b.pass(pipeline)
				if len(sent) != 1 || (err != nil) != (kind == "error" || kind == "panic") {
					t.Errorf("sent %v, err = %.200v; want the status, once", sent, err)
				}
				kept := 0
				for _, condition := range b.conditions() {
					if condition.Reason == "Theirs" {
						kept++
					}
					if condition.Type == "FirstReady" && condition.Status == metav1.ConditionTrue {
						t.Error("the step is ready")
					}
				}
				if kept != 100 {
					t.Errorf("%d conditions of others are left", kept)
				}
				b.quiet("what is said already", pipeline)
			})
		}
	}
}
