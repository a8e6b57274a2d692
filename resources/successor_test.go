package resources_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// remembering is a cache that still shows one ConfigMap as it was.
type remembering struct {
	client.Client
	shown *corev1.ConfigMap
}

func (r *remembering) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	if child, ok := into.(*corev1.ConfigMap); ok && key == client.ObjectKeyFromObject(r.shown) {
		r.shown.DeepCopyInto(child)
		return nil
	}
	return r.Client.Get(ctx, key, into, options...)
}

// The child is deleted, and somebody makes another object of its name, which the cache
// does not show yet: what the step applies is for the child that it has seen.
func TestAnApplyIsForTheObjectThatWasSeen(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap))
	b.want("first pass", reconcile.Continue)
	child := b.configMap()
	b.get(child)
	b.caughtUp(child)
	if err := b.User.Delete(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	theirs := b.configMap()
	theirs.Data = map[string]string{"image": "theirs"}
	b.create(theirs)
	b.caughtUp(theirs)
	cache := b.Environment.Client
	b.Environment.Client = &remembering{cache, child}
	b.app.Spec.Image = "img:2"
	for range 3 {
		if result, err := b.pass(); err == nil && result == reconcile.Continue {
			t.Error("the step is content")
		}
	}
	b.Environment.Client = cache
	result, err := b.pass()
	if err != nil || result.Reason() != "NotControlled" {
		t.Errorf("when the cache shows it: %v, %v; want to wait", result, err)
	}
	after := b.configMap()
	b.get(after)
	if after.UID != theirs.UID || after.ResourceVersion != theirs.ResourceVersion {
		t.Errorf("somebody's object was changed: %+v", after)
	}
}
