package finalizer_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
)

func (o *outside) guarded(name string) *finalizer.FuncStep[*v1.MyApp] {
	return finalizer.Func(name, o.release).Acquire(func(_ context.Context, r run) (reconcile.Result, error) {
		o.calls = append(o.calls, "acquire")
		o.taken = slices.Contains(r.Object().Finalizers, name)
		return reconcile.Continue, nil
	})
}

func TestAFinalizerIsOnlyWhereItIsNeeded(t *testing.T) {
	effect := &outside{}
	w := newWorld(t, oneStep(func() reconcile.Step[*v1.MyApp] {
		return effect.guarded(dns).When(func(app *v1.MyApp) bool { return app.Spec.Image != "none" })
	}))
	w.change(func(app *v1.MyApp) { app.Spec.Image, app.Finalizers = "none", []string{"example.com/theirs"} })
	w.must("not needed")
	w.finalizers("not needed", "example.com/theirs")
	w.quiet("not needed")
	w.change(func(app *v1.MyApp) { app.Spec.Image = "img:1" })
	w.must("needed")
	w.finalizers("needed", "example.com/theirs", dns)
	if !effect.taken {
		t.Error("the effect did not come about under the finalizer")
	}
	w.quiet("needed")

	effect.failure = context.DeadlineExceeded
	w.change(func(app *v1.MyApp) { app.Spec.Image = "none" })
	_, _ = w.pass()
	w.finalizers("not needed any more, and not released", "example.com/theirs", dns)
	effect.failure = nil
	w.writes = nil
	w.must("released")
	w.wrote("the finalizer goes when the effect is released", "metadata", "status")
	w.finalizers("released", "example.com/theirs")
	calls := len(effect.calls)
	w.quiet("released")
	if got := effect.calls[calls:]; len(got) != 0 {
		t.Errorf("calls = %v: there was nothing to do", got)
	}
	w.delete()
	w.quiet("deleted: there is nothing to guard")
	if got := effect.calls[calls:]; len(got) != 0 {
		t.Errorf("calls = %v: there was nothing to release", got)
	}
}

func TestARenamedFinalizer(t *testing.T) {
	effect := &outside{}
	old := oneStep(func() reconcile.Step[*v1.MyApp] { return effect.guarded(dns) })
	renamed := oneStep(func() reconcile.Step[*v1.MyApp] {
		return effect.guarded("apps.example.com/zone").FormerNames("apps.example.com/oldest", dns)
	})
	t.Run("is swapped in one write", func(t *testing.T) {
		w := newWorld(t, old)
		w.change(func(app *v1.MyApp) { app.Finalizers = []string{"example.com/theirs"} })
		w.must("the old version")
		w.steps = renamed
		w.start()
		w.writes = nil
		w.must("the new version")
		w.wrote("one write", "metadata", "status")
		w.finalizers("the new version", "example.com/theirs", "apps.example.com/zone")
		w.quiet("the new version")
	})
	t.Run("is honoured on deletion", func(t *testing.T) {
		w := newWorld(t, old)
		w.change(func(app *v1.MyApp) { app.Finalizers = []string{"example.com/theirs"} })
		w.must("the old version")
		w.delete()
		w.steps = renamed
		w.start()
		w.writes, effect.taken = nil, true
		w.must("the new version")
		if effect.taken {
			t.Error("the effect was not released")
		}
		w.finalizers("the new version", "example.com/theirs")
		w.quiet("the new version")
	})
}

func TestAFinalizerThatNoStepHasAnyMore(t *testing.T) {
	effect := &outside{}
	old := oneStep(func() reconcile.Step[*v1.MyApp] { return effect.guarded(dns) })
	present := oneStep(func() reconcile.Step[*v1.MyApp] { return reconcile.Sequence[*v1.MyApp]() })
	for name, deleted := range map[string]bool{"live": false, "deleted": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, old)
			w.change(func(app *v1.MyApp) { app.Finalizers = []string{"example.com/theirs"} })
			w.must("the old version")
			if deleted {
				w.delete()
			}
			w.steps, w.shape = present, func(p *reconcile.Pipeline[*v1.MyApp]) { p.FormerFinalizers(dns) }
			w.start()
			w.must("the new version")
			w.finalizers("the new version", "example.com/theirs")
			w.quiet("the new version")
		})
	}
	t.Run("is not that of a step", func(t *testing.T) {
		w := newWorld(t, old)
		pipeline := reconcile.NewPipeline("test", old()...).FormerFinalizers(dns)
		err := pipeline.Setup(reconcile.Environment{Client: w.user})
		want := `pipeline "test": former finalizer "apps.example.com/dns" is that of step "dns"`
		if err == nil || err.Error() != want {
			t.Errorf("err = %v, want %s", err, want)
		}
	})
}

// Every finalizer that is missing and every former one goes in one write, and the
// steps that need none add none.
func TestManyFinalizersAreOneWrite(t *testing.T) {
	effect := &outside{}
	w := newWorld(t, func() []reconcile.Step[*v1.MyApp] {
		return []reconcile.Step[*v1.MyApp]{
			effect.guarded("apps.example.com/a"), external(newRegistry()), effect.guarded("apps.example.com/c").FormerNames("apps.example.com/b"),
			effect.guarded("apps.example.com/d").When(func(*v1.MyApp) bool { return false }),
		}
	})
	w.change(func(app *v1.MyApp) { app.Finalizers = []string{"apps.example.com/b"} })
	if _, err := w.pass(); err != nil {
		t.Fatal(err)
	}
	w.finalizers("all of them", "apps.example.com/a", dns, "apps.example.com/c")
	if diff := cmp.Diff([]string{"metadata", "metadata"}, w.writes); diff != "" {
		t.Errorf("the finalizers with the token, and the id (-want +got):\n%s", diff)
	}
}
