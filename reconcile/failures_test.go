package reconcile_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/testing/cluster"
	"github.com/trueup-dev/trueup/testing/steptest"
)

// An error whose text is another each time is told once, and its words stay,
// while nothing else about it changes.
func TestAnErrorWithAnotherTextInEachPassIsNotNews(t *testing.T) {
	reason, terminal, pass := "Denied", false, 0
	script := &scripted{forward: func(appRun) (reconcile.Result, error) {
		pass++
		err := reconcile.WithReason(reason, fmt.Errorf("request %d", pass))
		if terminal {
			err = reconcile.Terminal(err)
		}
		return reconcile.Result{}, err
	}}
	b := newPipelineBench(t, script.step("work"), reporter{name: "words", compute: func(run appRun) (reconcile.Result, error) {
		run.Object().Status.Selector = run.Reports()[0].Message
		return reconcile.Continue, nil
	}})
	check := func(what, words string) {
		t.Helper()
		b.caughtUp()
		b.Events.Reset()
		if _, err := b.pass(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("request %d", pass)) {
			t.Errorf("%s: err = %v, want what this pass found", what, err)
		}
		if got := b.Events.All(); len(got) != 1 || !strings.Contains(got[0], words) {
			t.Errorf("%s: events = %q, want one with %q", what, got, words)
		}
		if !terminal {
			b.quiet()
		}
		if got := b.live().Status.Selector; got != words {
			t.Errorf("%s: the status says %q, want %q", what, got, words)
		}
	}
	check("a first failure", "request 1")
	reason = "Throttled"
	check("another reason", "request 4")
	b.app = b.live()
	b.app.Spec.Image = "img:2"
	if err := b.User.Update(t.Context(), b.app); err != nil {
		t.Fatal(err)
	}
	check("another generation", "request 7")
	terminal = true
	check("another state", "request 10")
	check("other words of what is not retried", "request 11")
	terminal = false
	check("retried again", "request 12")
	work := script.forward
	script.forward = nil
	b.caughtUp()
	b.want("it works")
	script.forward = work
	check("it fails again", "request 15")
}

// Two different errors with one reason are told in the words of each, and not more
// often than once in a minute, however they look.
func TestADifferentErrorWithTheSameReasonIsTold(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	words := "zone a is locked"
	script := &scripted{forward: func(appRun) (reconcile.Result, error) { return reconcile.Result{}, errors.New(words) }}
	b := newPipelineBench(t, script.step("work"), reporter{name: "words", compute: func(run appRun) (reconcile.Result, error) {
		run.Object().Status.Selector = run.Reports()[0].Message
		return reconcile.Continue, nil
	}})
	b.at(clock)
	check := func(what, want string, writes int) {
		t.Helper()
		b.caughtUp()
		b.Events.Reset()
		b.Requests.Reset()
		if _, err := b.pass(); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: err = %v, want what this pass found", what, err)
		}
		if got := b.live().Status.Selector; got != want {
			t.Errorf("%s: the status says %q, want %q", what, got, want)
		}
		if got := len(b.Requests.Writes()); got != writes {
			t.Errorf("%s: %d writes, want %d", what, got, writes)
		}
		if got := len(b.Events.All()); got != writes {
			t.Errorf("%s: %d events, want %d", what, got, writes)
		}
	}
	check("a first failure", "zone a is locked", 1)
	words = "quota of 10 exceeded"
	check("another one at once", "zone a is locked", 0)
	clock.SetTime(clock.Now().Add(time.Minute))
	check("another one after a while", "quota of 10 exceeded", 1)
	words = "quota of 11 exceeded"
	clock.SetTime(clock.Now().Add(time.Hour))
	check("other numbers", "quota of 10 exceeded", 0)
	told := 0
	for range 100 { // an id that nobody can tell from a word
		clock.SetTime(clock.Now().Add(2 * time.Second))
		words = "denied, see " + strings.Map(func(rune) rune { return 'a' + rand.Int32N(26) }, "xxxxxxxx")
		b.caughtUp()
		b.Requests.Reset()
		if _, err := b.pass(); err == nil {
			t.Fatal("the pass did not fail")
		}
		told += len(b.Requests.Writes())
	}
	if told < 2 || told > 4 { // 200 s
		t.Errorf("%d writes in 200 s, want one in a minute", told)
	}
}

// A pass that fails and writes the status is retried with backoff: what it
// wrote does not wake it.
func TestAWrittenStatusDoesNotDefeatBackoff(t *testing.T) {
	shared := cluster.Shared(t)
	namespace := shared.Namespace(t)
	mgr := steptest.NewManager(t, shared.Config(), scheme(t), namespace)
	const passes = 10
	began := make(chan time.Time, 1000)
	count := int32(0)
	pipeline := reconcile.NewPipeline("backoff",
		reconcile.Func("fails", func(context.Context, appRun) (reconcile.Result, error) {
			began <- time.Now()
			count++
			return reconcile.Result{}, fmt.Errorf("request %d", count)
		}),
		reporter{name: "count", compute: func(run appRun) (reconcile.Result, error) {
			run.Object().Status.Replicas = count
			return reconcile.Continue, nil
		}},
	)
	if err := pipeline.SetupWithManager(mgr); err != nil {
		t.Fatal(err)
	}
	steptest.StartManager(t, mgr)
	app := &v1.MyApp{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}, Spec: v1.MyAppSpec{Image: "img:1"}}
	if err := mgr.GetClient().Create(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	first, last := time.Time{}, time.Time{}
	for i := range passes {
		select {
		case last = <-began:
		case <-time.After(30 * time.Second):
			t.Fatalf("only %d passes", i)
		}
		if i == 0 {
			first = last
		}
	}
	// controller-runtime waits 5 ms, then twice as long each time: 2.555 s in all.
	t.Logf("%d passes took %s", passes, last.Sub(first))
	if took := last.Sub(first); took < 2500*time.Millisecond {
		t.Errorf("%d passes took %s: they woke each other", passes, took)
	}
}
