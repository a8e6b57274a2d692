package resources_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// ensureConfig returns a step that keeps a ConfigMap of its own name.
func ensureConfig(name string) *resources.Child[*v1.MyApp, *corev1.ConfigMap] {
	return resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"image": app.Spec.Image}}, nil
	}).Named(name)
}

func isOn(app *v1.MyApp) bool { return app.Spec.Image == "on" }

func (b *bench) named(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: b.namespace}}
}

// settle makes passes, as the events of children would, until one continues.
func (b *bench) settle(what string) {
	b.Helper()
	b.eventually(what, func(context.Context) bool {
		result, err := b.pass()
		return err == nil && result == reconcile.Continue
	})
}

// Children with a controller reference are deleted when they are not wanted any
// more, the last first, each when the one after it is gone, and by a process that
// did not make them too.
func TestAWhenThatTurnedFalseDeletesItsChildren(t *testing.T) {
	for name, restart := range map[string]bool{"same process": false, "restarted": true} {
		t.Run(name, func(t *testing.T) {
			set := resources.EnsureSet(func(*v1.MyApp) ([]*corev1.ConfigMap, error) {
				return []*corev1.ConfigMap{{ObjectMeta: metav1.ObjectMeta{Name: "c1"}}, {ObjectMeta: metav1.ObjectMeta{Name: "c2"}}}, nil
			}).Named("set")
			b := newBench(t, reconcile.When(isOn, ensureConfig("a"), set))
			b.app.Spec.Image = "on"
			b.update(b.app)
			b.want("wanted", reconcile.Continue)
			b.quiet(b.named("a"), b.named("c1"), b.named("c2"))
			held := b.named("c1") // something keeps it for a while
			b.get(held)
			held.Finalizers = []string{"example.com/held"}
			b.update(held)
			b.caughtUp(held)
			if restart {
				b.restart()
			}
			b.Requests.Reset()

			b.app.Spec.Image = "off"
			if result, err := b.pass(); err != nil || result.Outcome() != reconcile.Waiting || result.Reason() != "Deleting" {
				t.Errorf("got %v, %v; want it to wait", result, err)
			}
			writes := b.writes()
			slices.Sort(writes)
			if want := []string{"delete configmaps c1", "delete configmaps c2"}; !slices.Equal(want, writes) {
				t.Errorf("not wanted: wrote %v, want %v", writes, want)
			}
			b.caughtUp(b.named("c1"))
			b.caughtUp(b.named("c2"))
			if result, err := b.pass(); err != nil || result.Outcome() != reconcile.Waiting {
				t.Errorf("got %v, %v; want it to wait for what is held", result, err)
			}
			b.wrote("what is before it has to stay until then")
			b.get(held)
			held.Finalizers = nil
			b.update(held)
			b.settle("all is gone")
			b.wrote("then it goes too", "delete configmaps a")
			for _, name := range []string{"a", "c1", "c2"} {
				b.gone(b.named(name))
			}
			b.quiet(b.named("a"), b.named("c1"), b.named("c2"))
		})
	}
}

// A child that is held up is neither updated nor repaired, but deleted when it is
// not wanted any more.
func TestAGraphHoldsUpAChild(t *testing.T) {
	broken := false
	b := newBench(t, reconcile.Graph(
		reconcile.At("first", reconcile.Func("first", func(context.Context, *reconcile.Run[*v1.MyApp]) (reconcile.Result, error) {
			if broken {
				return reconcile.Result{}, errors.New("boom")
			}
			return reconcile.Continue, nil
		})),
		reconcile.At("kept", ensureConfig("kept")).After("first"),
		reconcile.At("tried", ensureConfig("tried")).AfterTrying("first"),
		reconcile.At("wanted", ensureConfig("wanted").When(isOn)).After("first"),
		reconcile.At("group", reconcile.When(isOn, ensureConfig("grouped"))).After("first"),
	))
	all := []client.Object{b.named("kept"), b.named("tried"), b.named("wanted"), b.named("grouped")}
	b.app.Spec.Image = "on"
	b.want("all are wanted", reconcile.Continue)
	b.quiet(all...)
	b.Requests.Reset()

	broken = true
	b.app.Spec.Image = "off"
	if _, err := b.pass(); err == nil {
		t.Error("the error is lost")
	}
	got := map[string]bool{}
	for _, write := range b.writes() {
		got[write] = true
	}
	want := []string{"patch configmaps tried", "delete configmaps wanted", "delete configmaps grouped"}
	for _, write := range want {
		if !got[write] {
			t.Errorf("%s was not sent, but %v", write, got)
		}
	}
	if len(got) != len(want) {
		t.Errorf("sent %v, want %v", got, want)
	}
	for _, child := range all {
		b.caughtUp(child)
	}
	broken = false
	b.settle("goes on")
	b.wrote("brought up to date", "patch configmaps kept")
	b.quiet(all...)
}
