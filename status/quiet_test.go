package status_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/status"
)

// A thousand quiet passes write nothing, over restarts (C07), and although a
// condition is one thing at the beginning of each pass and another at its end
// (C05); an hour goes by before each.
func TestAThousandQuietPassesWriteNoStatus(t *testing.T) {
	b := newBench(t, newApp())
	broken := false
	start := func() *reconcile.Pipeline[appOf] {
		return b.setUp(reconcile.NewPipeline("test",
			reconcile.Func("work", func(context.Context, appRun) (reconcile.Result, error) { return reconcile.Continue, nil }),
			status.Func(func(app appOf, _ appRun) {
				app.Status.ReadyReplicas = 1
				set := func(value metav1.ConditionStatus, reason string) {
					meta.SetStatusCondition(&app.Status.Conditions, metav1.Condition{
						Type: "Mine", Status: value, Reason: reason, LastTransitionTime: metav1.NewTime(b.clock.Now()),
					})
				}
				set(metav1.ConditionFalse, "Working")
				if !broken {
					set(metav1.ConditionTrue, "Available")
				}
			}),
			status.Summarize(conditions).Including("Mine"),
		))
	}
	pipeline := start()
	if _, sent, err := b.pass(pipeline); err != nil || len(sent) != 1 {
		t.Fatalf("the first pass sent %v, %v", sent, err)
	}
	before := b.live()
	b.CaughtUp(t, b.object)
	b.Requests.Reset()
	request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(b.object)}
	for i := range 1000 {
		if i%250 == 0 {
			pipeline = start()
		}
		b.clock.SetTime(b.clock.Now().Add(time.Hour))
		if _, err := pipeline.Reconcile(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
	if sent, told := b.Requests.All(), b.Events.All(); len(sent) > 0 || len(told) > 0 {
		t.Errorf("quiet passes sent %v and told %v", sent, told)
	}
	if version := b.live().GetResourceVersion(); version != before.GetResourceVersion() {
		t.Errorf("the object went from version %s to %s", before.GetResourceVersion(), version)
	}
	moved := meta.FindStatusCondition(b.conditions(), "Mine").LastTransitionTime
	broken = true
	if _, sent, err := b.pass(pipeline); err != nil || len(sent) != 1 {
		t.Errorf("a pass in which it ends otherwise sent %v, %v; want one status", sent, err)
	}
	if mine := meta.FindStatusCondition(b.conditions(), "Mine"); mine.Status != "False" || !moved.Before(&mine.LastTransitionTime) {
		t.Errorf("Mine = %+v, want False since this pass", mine)
	}
}

// Fifty failed attempts are one status and one event, without the number of the
// attempt (C07), and the recovery is one status more.
func TestAFailureThatStaysIsToldOnce(t *testing.T) {
	b := newBench(t, newApp())
	attempt := 0
	pipeline := b.setUp(reconcile.NewPipeline("test",
		reconcile.Func("work", func(context.Context, appRun) (reconcile.Result, error) {
			if attempt++; attempt <= 50 {
				return reconcile.Result{}, reconcile.WithReason("Forbidden", fmt.Errorf("attempt %d at %s was forbidden", attempt, b.clock.Now()))
			}
			return reconcile.Continue, nil
		}),
		status.Summarize(conditions),
	))
	statuses := 0
	for range 50 {
		_, sent, err := b.pass(pipeline)
		if err == nil {
			t.Fatal("an error was swallowed")
		}
		statuses += len(sent)
	}
	if told := b.Events.All(); statuses != 1 || len(told) != 1 {
		t.Errorf("%d statuses and events %v, want one of each", statuses, told)
	}
	if _, sent, err := b.pass(pipeline); err != nil || len(sent) != 1 || len(b.Events.All()) != 1 {
		t.Errorf("the recovery sent %v, told %v, %v", sent, b.Events.All(), err)
	}
}
