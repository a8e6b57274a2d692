package finalizer_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
)

// life takes an app from its creation to its end, with as many passes as it
// needs. A person clears what stalls: see clear. It returns false if the end is
// not reached.
func (w *world) life(system *registry, died func() bool) bool {
	w.Helper()
	pass := func() error {
		_, err := w.pass()
		w.behind = false
		if died() { // a new process, whose cache is a version behind
			w.pipeline, w.behind = nil, true
		}
		if w.live() && w.stalled() {
			w.clear(system)
		}
		return err
	}
	const enough = 12
	for range enough {
		w.clock.Step(time.Minute) // past what waits for a create to take effect
		if err := pass(); err == nil && !w.behind && w.app.Annotations[dnsID] != "" {
			break
		}
	}
	if system.made == 1 && w.app.Annotations[dnsID] == "" {
		w.Errorf("the id was not stored: %v", w.app.Annotations)
	}
	w.delete()
	for range enough {
		w.clock.Step(time.Minute)
		_ = pass()
		if !w.live() {
			return true
		}
	}
	return false
}

// clear does what a person does when nobody can tell what became of a create.
func (w *world) clear(system *registry) {
	w.Helper()
	if made := system.made; w.pipeline != nil {
		w.clock.Step(time.Hour)
		if _, err := w.pass(); err == nil && system.made != made {
			w.Error("a create was sent while it was not known what became of the last one")
		}
	}
	w.change(func(app *v1.MyApp) {
		for id := range system.values() {
			app.Annotations[dnsID] = id
			return
		}
		delete(app.Annotations, dnsToken)
	})
}

var errDead = errors.New("the process has died")

// The process dies after each request and each call in turn, and another one
// takes over whose cache shows the version before the last.
func TestExternalIsMadeAndReleasedOnceWhereverAProcessDies(t *testing.T) {
	for name, byID := range map[string]bool{"found by token": false, "by id only": true} {
		t.Run(name, func(t *testing.T) {
			last := 0
			for k := 0; k <= last; k++ {
				system := newRegistry()
				system.byID = byID
				w := newExternalWorld(t, system)
				steps, dead, crashed := 0, false, false
				step := func() error {
					if dead {
						return errDead
					}
					if steps++; steps > k && !crashed {
						dead, crashed = true, true
						return errDead
					}
					return nil
				}
				w.gate = step
				system.before = func(context.Context, string) error { return step() }
				system.onCreate = func(run) error {
					if !w.has(dns, dnsToken) {
						return errors.New("a create before the finalizer and the token are stored")
					}
					return nil
				}
				ended := w.life(system, func() bool {
					was := dead
					dead = false
					return was
				})
				last = max(last, steps)
				if !ended || len(system.values()) != 0 || system.made != 1 || system.removed != 1 {
					t.Errorf("dead after %d: ended %t, left %v, %d made, %d removed",
						k, ended, system.values(), system.made, system.removed)
				}
				if !crashed {
					break // it got to its end
				}
			}
			t.Logf("died at each of %d requests and calls", last)
		})
	}
}

// Each request and each call fails in turn, before it takes effect or after.
func TestExternalIsMadeAndReleasedOnceWhateverAnswerIsLost(t *testing.T) {
	for name, byID := range map[string]bool{"found by token": false, "by id only": true} {
		for when, after := range map[string]bool{"before": false, "after": true} {
			t.Run(name+"/"+when, func(t *testing.T) {
				for k := 1; ; k++ {
					system := newRegistry()
					system.byID = byID
					w := newExternalWorld(t, system)
					steps, failed := 0, false
					step := func() error {
						if steps++; steps == k {
							failed = true
							return fmt.Errorf("connection lost at %d", k)
						}
						return nil
					}
					if after {
						w.lost = step
						system.after = func(context.Context, string) error { return step() }
					} else {
						w.gate = step
						system.before = func(context.Context, string) error { return step() }
					}
					ended := w.life(system, func() bool { return false })
					if !ended || len(system.values()) != 0 || system.made != 1 || system.removed != 1 {
						t.Errorf("lost %d: ended %t, left %v, %d made, %d removed", k, ended, system.values(), system.made, system.removed)
					}
					if !failed {
						t.Logf("lost each of %d answers", k-1)
						return
					}
				}
			})
		}
	}
}

// C23: a system that knows nothing of tokens, and an answer that never came.
func TestExternalThatMayHaveBeenMadeWaitsForAPerson(t *testing.T) {
	system := newRegistry()
	system.byID = true
	w := newExternalWorld(t, system)
	system.after = func(_ context.Context, verb string) error {
		if verb == "create" {
			return errors.New("connection lost")
		}
		return nil
	}
	w.must("the answer is lost")
	words := "it is not known whether a create with the token " + string(w.app.UID) + "-dns succeeded: " +
		"set the annotation apps.example.com/dns-id to the id of what it made, " +
		"or remove the annotation apps.example.com/dns-token if it made nothing"
	w.ready("the answer is lost", "False", "CreateOutcomeUnknown", "dns: "+words)
	if !w.stalled() {
		t.Error("it is not stalled")
	}
	w.quiet("the process knows no more than before")
	w.start()
	w.must("nor does the next process")
	w.quiet("nor does the next process")
	if system.made != 1 {
		t.Errorf("%d were made", system.made)
	}
	w.delete()
	w.must("deletion")
	w.ready("deletion", "False", "CreateOutcomeUnknown", "deletion waits for dns: "+words)
	w.quiet("deletion")
	w.finalizers("deletion", dns)
	w.change(func(app *v1.MyApp) { app.Annotations[dnsID] = "z-1" })
	if w.must("a person has looked"); w.live() || len(system.values()) != 0 {
		t.Errorf("left: %v", system.values())
	}
}

func TestExternalThatWasCertainlyNotMadeIsTriedAgain(t *testing.T) {
	system := newRegistry()
	system.byID = true
	w := newExternalWorld(t, system)
	refused := errors.New("quota exceeded")
	system.before = func(_ context.Context, verb string) error {
		if verb == "create" {
			return finalizer.NotCreated(refused)
		}
		return nil
	}
	if _, err := w.pass(); !errors.Is(err, refused) {
		t.Fatalf("err = %v", err)
	}
	w.live()
	if len(w.app.Annotations) != 0 {
		t.Errorf("annotations = %v: they say that something may have been made", w.app.Annotations)
	}
	system.before = nil
	w.start()
	w.must("another process")
	if diff := cmp.Diff(map[string]string{"z-1": "img:1"}, system.values()); diff != "" {
		t.Errorf("registry (-want +got):\n%s", diff)
	}
	w.quiet("made")
}

// A call that does not answer holds no worker up, and a create that takes effect
// after everybody has given it up is neither doubled nor left behind.
func TestExternalThatHangs(t *testing.T) {
	for _, verb := range []string{"observe", "create", "update", "delete"} {
		t.Run(verb, func(t *testing.T) {
			system := newRegistry()
			w := newWorld(t, oneStep(func() reconcile.Step[*v1.MyApp] { return external(system).Timeout(shortly) }))
			hang := func(ctx context.Context, called string) error {
				if called == verb {
					return hanging(ctx, called)
				}
				return nil
			}
			if verb == "delete" || verb == "update" {
				w.must("first pass")
				w.change(func(app *v1.MyApp) { app.Spec.Image = "img:2" })
			}
			if verb == "delete" {
				w.delete()
			}
			system.before = hang
			if _, err := w.pass(); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("err = %v", err)
			}
			w.quiet("while it hangs")
			system.before = nil
			w.must("when it answers")
			if verb != "delete" {
				w.delete()
				w.must("deletion")
			}
			if w.live() || len(system.values()) != 0 || system.made != 1 || system.removed != 1 {
				t.Errorf("left %v, %d made, %d removed", system.values(), system.made, system.removed)
			}
		})
	}
}

func TestExternalThatIsMadeLate(t *testing.T) {
	system := newRegistry()
	w := newExternalWorld(t, system)
	system.before = func(_ context.Context, verb string) error {
		if verb == "create" {
			return errors.New("timeout")
		}
		return nil
	}
	_, _ = w.pass()
	w.delete()
	if result := w.must("deletion"); result.RequeueAfter != 30*time.Second {
		t.Errorf("it looks again after %s, want as long as a call may take", result.RequeueAfter)
	}
	w.finalizers("a create may be on its way", dns)
	system.entries["z-9"] = &entry{token: string(w.app.UID) + "-dns"} // it arrives
	w.clock.Step(30 * time.Second)
	if w.must("it has arrived"); w.live() || len(system.values()) != 0 {
		t.Errorf("left: %v", system.values())
	}
}

// A panic of the system is taken for an answer that is lost: what it had made by then
// is found and released, and where it cannot be found a person is asked.
func TestExternalThatPanics(t *testing.T) {
	for name, byID := range map[string]bool{"by token": false, "by id": true} {
		t.Run(name, func(t *testing.T) {
			system := newRegistry()
			system.byID = byID
			w := newExternalWorld(t, system)
			system.after = func(_ context.Context, verb string) error {
				if verb == "create" {
					panic("the answer is nonsense")
				}
				return nil
			}
			_, err := w.pass()
			if byID {
				if err != nil || !w.stalled() {
					t.Errorf("err = %v, want it to wait for a person", err)
				}
				return
			}
			if err == nil || reconcile.IsTerminal(err) {
				t.Errorf("err = %v, want one that is retried", err)
			}
			w.ready("it has failed", metav1.ConditionFalse, "CreateFailed", "dns: create: panic: the answer is nonsense")
			system.entries = map[string]*entry{} // it does not show yet
			w.delete()
			if result := w.must("deletion"); result.RequeueAfter != 30*time.Second {
				t.Errorf("it looks again after %s, want as long as a call may take", result.RequeueAfter)
			}
		})
	}
}
