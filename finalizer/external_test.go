package finalizer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
)

const (
	dns      = "apps.example.com/dns"
	dnsToken = "apps.example.com/dns-token"
	dnsID    = "apps.example.com/dns-id"
)

func external(system *registry) *finalizer.ExternalStep[*v1.MyApp, string] {
	step := finalizer.External(dns, system)
	if system.byID {
		step.ByIDOnly()
	}
	return step
}

func newExternalWorld(t *testing.T, system *registry) *world {
	t.Helper()
	return newWorld(t, oneStep(func() reconcile.Step[*v1.MyApp] { return external(system) }))
}

func (w *world) called(system *registry, what string, want ...string) {
	w.Helper()
	if diff := cmp.Diff(want, system.took()); diff != "" {
		w.Errorf("%s: calls (-want +got):\n%s", what, diff)
	}
}

func TestExternalFromBeginningToEnd(t *testing.T) {
	system := newRegistry()
	w := newExternalWorld(t, system)
	system.onCreate = func(run) error {
		if !w.has(dns, dnsToken) {
			return errors.New("a create before the finalizer and the token are stored (C23)")
		}
		return nil
	}
	result := w.must("first pass")
	w.called(system, "first pass", "observe", "create", "observe")
	w.wrote("finalizer and token in one write, the id, the status", "metadata", "metadata", "status")
	w.finalizers("first pass", dns)
	if token := w.app.Annotations[dnsToken]; token != string(w.app.UID)+"-dns" || w.app.Annotations[dnsID] != "z-1" {
		t.Errorf("annotations = %v", w.app.Annotations)
	}
	if result.RequeueAfter != 10*time.Minute {
		t.Errorf("it looks again after %s, want ten minutes", result.RequeueAfter)
	}
	w.ready("first pass", metav1.ConditionTrue, "Ready", "every step is ready")
	w.quiet("converged")
	w.called(system, "what was observed lately is not asked for again")

	w.clock.Step(10 * time.Minute)
	w.quiet("at the next look")
	w.called(system, "once in ten minutes", "observe")

	system.entries["z-1"].value = "theirs"
	w.clock.Step(10 * time.Minute)
	w.quiet0(system, "somebody changed it", "observe", "update", "observe")
	w.change(func(app *v1.MyApp) { app.Spec.Image = "img:2" })
	w.quiet0(system, "the object changed: at once", "update", "observe")
	if diff := cmp.Diff(map[string]string{"z-1": "img:2"}, system.values()); diff != "" {
		t.Errorf("registry (-want +got):\n%s", diff)
	}

	w.delete()
	w.writes = nil
	w.must("deletion")
	w.called(system, "deletion", "observe", "delete", "observe")
	w.wrote("one write takes the finalizer off", "metadata")
	if w.live() {
		t.Error("the app is still there")
	}
	w.must("after the end (C31)")
	w.called(system, "after the end")
	if system.made != 1 || system.removed != 1 {
		t.Errorf("%d made and %d removed, want one each", system.made, system.removed)
	}
}

// quiet0 makes a pass with the given calls and checks that a second has none.
func (w *world) quiet0(system *registry, what string, calls ...string) {
	w.Helper()
	w.must(what)
	w.called(system, what, calls...)
	w.quiet(what)
	w.called(system, what+", again")
}

func TestExternalNeverTakesAnErrorForGone(t *testing.T) {
	system := newRegistry()
	w := newExternalWorld(t, system)
	w.must("first pass")
	w.delete()
	system.took()
	w.writes = nil
	w.events.Reset()
	failing := errors.New("500: try later, request 1")
	for i, verb := range []string{"delete", "observe", "delete"} {
		system.before = func(_ context.Context, called string) error {
			if called == verb {
				return failing
			}
			return nil
		}
		if _, err := w.pass(); !errors.Is(err, failing) {
			t.Fatalf("pass %d: err = %v", i, err)
		}
		w.finalizers("while it fails (C25)", dns)
		failing = errors.New("500: try later, request 2")
	}
	w.wrote("the status tells each sort of failure once", "status", "status", "status")
	for _, event := range w.events.All() {
		if strings.Contains(event, "released") {
			t.Errorf("it was told before it was true: %s", event)
		}
	}
	w.ready("while it fails", metav1.ConditionFalse, "ReleaseFailed", "deletion waits for dns: release: 500: try later, request 2")
	system.before = nil
	w.must("when it works again")
	w.wrote("one write", "metadata")
	if w.live() || len(system.values()) != 0 || system.removed != 1 {
		t.Errorf("left: %v, removed %d times", system.values(), system.removed)
	}
}

func TestExternalWaitsUntilTheThingIsGone(t *testing.T) {
	system := newRegistry()
	system.lingers = 2
	w := newExternalWorld(t, system)
	w.must("first pass")
	w.delete()
	system.took()
	if result := w.must("deletion"); result.RequeueAfter != 10*time.Second {
		t.Errorf("it looks again after %s", result.RequeueAfter)
	}
	w.ready("while it goes", metav1.ConditionFalse, "Deleting", "deletion waits for dns: z-1 is being released")
	w.called(system, "deletion", "observe", "delete", "observe")
	w.must("a second look")
	w.called(system, "delete is not called again", "observe")
	if w.must("it is gone"); w.live() {
		w.must("it is gone by now")
	}
	if w.live() || system.removed != 1 {
		t.Errorf("the app is there, or the thing was removed %d times", system.removed)
	}
}

func TestExternalIsMadeAgainWhenItVanishes(t *testing.T) {
	for name, byID := range map[string]bool{"found by token": false, "by id only": true} {
		t.Run(name, func(t *testing.T) {
			system := newRegistry()
			system.byID = byID
			w := newExternalWorld(t, system)
			w.must("first pass")
			delete(system.entries, "z-1")
			w.clock.Step(10 * time.Minute)
			w.must("it is made again")
			if diff := cmp.Diff(map[string]string{"z-2": "img:1"}, system.values()); diff != "" {
				t.Errorf("registry (-want +got):\n%s", diff)
			}
			w.live()
			if w.app.Annotations[dnsID] != "z-2" {
				t.Errorf("annotations = %v", w.app.Annotations)
			}
			w.quiet("made again")
		})
	}
}

func TestExternalIsThereOnlyWhileItIsWanted(t *testing.T) {
	system := newRegistry()
	w := newWorld(t, oneStep(func() reconcile.Step[*v1.MyApp] {
		return external(system).When(func(app *v1.MyApp) bool { return app.Spec.Image != "none" })
	}))
	w.change(func(app *v1.MyApp) { app.Spec.Image = "none" })
	w.must("not wanted")
	w.wrote("no finalizer, no token", "status")
	w.finalizers("not wanted")
	w.change(func(app *v1.MyApp) { app.Spec.Image = "img:1" })
	w.must("wanted")
	w.finalizers("wanted", dns)
	w.quiet("wanted")
	w.change(func(app *v1.MyApp) { app.Spec.Image = "none" })
	w.must("not wanted any more")
	w.finalizers("not wanted any more")
	if len(system.values()) != 0 || len(w.app.Annotations) != 0 {
		t.Errorf("left: %v, annotations %v", system.values(), w.app.Annotations)
	}
	w.quiet("not wanted any more")
	w.change(func(app *v1.MyApp) { app.Spec.Image = "img:2" })
	w.must("wanted again")
	if diff := cmp.Diff(map[string]string{"z-2": "img:2"}, system.values()); diff != "" {
		t.Errorf("registry (-want +got):\n%s", diff)
	}
	w.change(func(app *v1.MyApp) { app.Spec.Image = "none" })
	w.delete()
	if w.must("deleted at the same moment"); w.live() || len(system.values()) != 0 {
		t.Errorf("left: %v", system.values())
	}
}

// An object made by copying another has its annotations too.
func TestExternalOfAnotherIsLeftAlone(t *testing.T) {
	system := newRegistry()
	w := newExternalWorld(t, system)
	w.must("first pass")
	w.live()
	copied := &v1.MyApp{
		ObjectMeta: metav1.ObjectMeta{Name: "copy", Namespace: w.app.Namespace, Annotations: w.app.Annotations},
		Spec:       v1.MyAppSpec{Image: "img:copy"},
	}
	if err := w.user.Create(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	original := w.app
	w.app = copied
	w.must("the copy gets its own")
	if diff := cmp.Diff(map[string]string{"z-1": "img:1", "z-2": "img:copy"}, system.values()); diff != "" {
		t.Errorf("registry (-want +got):\n%s", diff)
	}
	w.delete()
	w.must("the copy goes")
	if diff := cmp.Diff(map[string]string{"z-1": "img:1"}, system.values()); diff != "" {
		t.Errorf("registry (-want +got):\n%s", diff)
	}
	w.app = original
	w.quiet("the original")
}

func TestExternalKeepsItsThingWhenTheFinalizerIsRenamed(t *testing.T) {
	for name, byID := range map[string]bool{"found by token": false, "by id only": true} {
		t.Run(name, func(t *testing.T) {
			system := newRegistry()
			system.byID = byID
			w := newExternalWorld(t, system)
			w.must("the old version")
			w.live()
			old := w.app.Annotations[dnsToken]
			w.writes = nil
			renamed := func() reconcile.Step[*v1.MyApp] {
				step := finalizer.External("apps.example.com/zone", system).FormerNames(dns)
				if byID {
					step.ByIDOnly()
				}
				return step
			}
			w.steps = oneStep(renamed)
			w.start()
			w.must("the new version")
			w.wrote("finalizer, token and id in one write", "metadata", "status")
			w.finalizers("the new version", "apps.example.com/zone")
			want := map[string]string{"apps.example.com/zone-token": old, "apps.example.com/zone-id": "z-1"}
			if diff := cmp.Diff(want, w.app.Annotations); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
			w.quiet("the new version")
			w.delete()
			if w.must("deletion"); w.live() || system.made != 1 || system.removed != 1 {
				t.Errorf("%d made, %d removed", system.made, system.removed)
			}
		})
	}
}

func TestExternalReleasesWhatAFormerVersionMade(t *testing.T) {
	system := newRegistry()
	w := newExternalWorld(t, system)
	w.must("the old version")
	w.delete()
	w.steps = oneStep(func() reconcile.Step[*v1.MyApp] {
		return finalizer.External("apps.example.com/zone", system).FormerNames(dns)
	})
	w.start()
	w.writes = nil
	w.must("the new version")
	w.wrote("nothing is put on an object that is being deleted", "metadata")
	if w.live() || len(system.values()) != 0 {
		t.Errorf("left: %v", system.values())
	}
}

func TestExternalMisuseIsToldAtSetup(t *testing.T) {
	about := finalizer.External[*v1.MyApp, string]("apps.example.com/"+strings.Repeat("x", 60), nil).
		Every(0).Timeout(-1).When(nil).Describe()
	for _, want := range []string{"the system is nil", "Every:", "Timeout:", "When:", "annotation"} {
		if about.Err == nil || !strings.Contains(about.Err.Error(), want) {
			t.Errorf("the error does not say %s: %v", want, about.Err)
		}
	}
}
