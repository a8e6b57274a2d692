package reconcile_test

import (
	"slices"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// A process that starts with a cache of long ago can find out that the object is
// gone, or going, or another of the same name, before it brings something about.
func TestConfirm(t *testing.T) {
	cases := map[string]struct {
		reason string
		since  func(*pipelineBench) // what happened since the cache was filled
		want   bool
	}{
		"there": {"nothing has happened", func(*pipelineBench) {}, true},
		"going": {"nobody would undo it", func(b *pipelineBench) { b.remove() }, false},
		"gone": {"nobody would undo it", func(b *pipelineBench) {
			b.remove()
			b.caughtUp()
			b.want("the old process lets go")
		}, false},
		"another": {"it is not this one's", func(b *pipelineBench) {
			b.remove()
			b.caughtUp()
			b.want("the old process lets go")
			b.app.UID, b.app.ResourceVersion = "", ""
			if err := b.User.Create(b.Context(), b.app); err != nil {
				b.Fatal(err)
			}
		}, false},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			var answers []bool
			script := &scripted{forward: func(run appRun) (reconcile.Result, error) {
				there, err := run.Confirm(t.Context())
				answers = append(answers, there)
				return reconcile.Continue, err
			}}
			b := newPipelineBench(t, guarded{script.step("a"), ourFinalizer})
			b.want("first")
			b.caughtUp()
			restarted := b.behind()
			test.since(b)
			answers = nil
			for range 2 {
				if _, err := restarted.pass(); err != nil {
					t.Fatal(err)
				}
			}
			if want := []bool{test.want, test.want}; !slices.Equal(answers, want) {
				t.Errorf("answers %v, want %v: %s", answers, want, test.reason)
			}
		})
	}
}

// What was confirmed once is not asked for again by the same process.
func TestConfirmReadsOnce(t *testing.T) {
	script := &scripted{forward: func(run appRun) (reconcile.Result, error) {
		_, err := run.Confirm(t.Context())
		return reconcile.Continue, err
	}}
	b := newPipelineBench(t, guarded{script.step("a"), ourFinalizer})
	b.want("first")
	b.caughtUp()
	restarted := b.behind()
	b.Requests.Reset()
	restarted.want("after a restart")
	if sent := b.Requests.All(); len(sent) != 1 || sent[0].Verb != "get" {
		t.Errorf("after a restart, sent %v, want one read", sent)
	}
	restarted.quiet()
}

// remove deletes the object as a user does.
func (b *pipelineBench) remove() {
	b.Helper()
	if err := b.User.Delete(b.Context(), b.app); client.IgnoreNotFound(err) != nil {
		b.Fatal(err)
	}
}
