package resources_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

func wanted(app *v1.MyApp) bool { return app.Spec.Image != "none" }

// The two ways to say that there should be no child.
func removals() map[string]reconcile.Step[*v1.MyApp] {
	return map[string]reconcile.Step[*v1.MyApp]{
		"When": resources.Ensure(desiredConfigMap).When(wanted),
		"nil": resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
			if !wanted(app) {
				return nil, nil
			}
			return desiredConfigMap(app)
		}),
	}
}

func TestEnsureDeletesWhatIsNotWanted(t *testing.T) {
	for name, step := range removals() {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, step)
			b.want("first pass", reconcile.Continue)
			b.caughtUp(b.configMap())
			b.writes()
			b.app.Spec.Image = "none"
			result, err := b.pass()
			if err != nil || result.Reason() != "Deleting" {
				t.Fatalf("got %v, %v; want to wait until it is gone", result, err)
			}
			b.wrote("one delete", "delete configmaps web")
			b.gone(b.configMap())
			b.caughtUp(b.configMap())
			b.want("when it is gone", reconcile.Continue)
			b.quiet(b.configMap())
		})
	}
}

func TestEnsureDeletesWhatTheCacheHasNotSeen(t *testing.T) {
	for name, step := range removals() {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, step)
			b.want("first pass", reconcile.Continue)
			b.app.Spec.Image = "none"
			if _, err := b.pass(); err != nil {
				t.Fatal(err)
			}
			b.gone(b.configMap())
			b.quiet(b.configMap())
		})
	}
}

func TestEnsureNeverDeletesWhatItDidNotMake(t *testing.T) {
	step := resources.Ensure(desiredConfigMap).When(wanted)
	b := newBench(t, step)
	theirs := b.configMap()
	b.create(theirs)
	sibling := b.configMap() // of the same owner, but another step's
	sibling.Name = "sibling"
	sibling.Labels = map[string]string{resources.StepLabel: "test.other"}
	sibling.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(b.app, v1.GroupVersion.WithKind("MyApp")),
	}
	b.create(sibling)
	b.caughtUp(theirs)
	b.caughtUp(sibling)
	b.app.Spec.Image = "none"
	b.want("nothing of the step's is there (C39)", reconcile.Continue)
	b.wrote("nothing is sent")
	b.get(theirs)
	b.get(sibling)
	b.quiet()
}

func TestDeleteIsForTheObjectThatWasSeen(t *testing.T) {
	step := resources.Ensure(desiredConfigMap).When(wanted)
	b := newBench(t, step)
	b.want("first pass", reconcile.Continue)
	child := b.configMap()
	b.caughtUp(child)
	b.Environment.Client = &meddler{Client: b.Environment.Client, before: func() {
		// Somebody else makes it theirs between our look and our delete.
		b.get(child)
		child.OwnerReferences = nil
		b.update(child)
	}}
	b.app.Spec.Image = "none"
	if _, err := b.pass(); err != nil {
		t.Fatal(err)
	}
	b.get(child) // fails if it was deleted
	if child.DeletionTimestamp != nil {
		t.Error("an object that was no longer ours was deleted")
	}
	b.caughtUp(child)
	b.quiet(child)
}

// meddler lets something happen just before the first delete.
type meddler struct {
	client.Client
	before func()
}

func (m *meddler) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	if m.before != nil {
		m.before()
		m.before = nil
	}
	return m.Client.Delete(ctx, object, options...)
}
