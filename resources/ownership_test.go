package resources_test

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

type testContext = context.Context

func clientKey(object client.Object) client.ObjectKey { return client.ObjectKeyFromObject(object) }

func TestEnsureTakesNothingOver(t *testing.T) {
	for name, test := range map[string]struct {
		reason string
		owners []metav1.OwnerReference
		says   string
	}{
		"nobody's": {
			reason: "an object that a person made",
			says:   "exists and has no controller",
		},
		"another's": {
			reason: "an object that another controller keeps (C37)",
			owners: []metav1.OwnerReference{{
				APIVersion: "example.com/v1", Kind: "Other", Name: "x", UID: "x1", Controller: ptr.To(true),
			}},
			says: "is controlled by Other x",
		},
		"a former one's of this name": {
			reason: "a child of an owner that had the same name and is gone",
			owners: []metav1.OwnerReference{{
				APIVersion: v1.GroupVersion.String(), Kind: "MyApp", Name: "web", UID: "gone", Controller: ptr.To(true),
			}},
			says: "is controlled by MyApp web",
		},
	} {
		for cacheName, cacheIsBehind := range map[string]bool{"seen": false, "not yet in the cache": true} {
			t.Run(name+"/"+cacheName, func(t *testing.T) {
				b := newBench(t, resources.Ensure(desiredConfigMap))
				foreign := b.configMap()
				foreign.OwnerReferences = test.owners
				foreign.Data = map[string]string{"image": "theirs"}
				b.create(foreign)
				sighted := b.Environment.Client
				if cacheIsBehind {
					b.Environment.Client = blindFor(b.Environment.Client, clientKey(foreign))
				} else {
					b.caughtUp(foreign)
				}
				result, err := b.pass()
				if err != nil || result.Outcome() != reconcile.Waiting || result.Reason() != "NotControlled" {
					t.Fatalf("%s: got %v, %v; want to wait", test.reason, result, err)
				}
				if !strings.HasPrefix(result.Message(), b.namespace+"/web ") || !strings.Contains(result.Message(), test.says) {
					t.Errorf("message %q does not name the object and its owner", result.Message())
				}
				if result.RequeueAfter() == 0 {
					t.Error("nothing looks again: the owner of the object is somebody else, so no watch wakes this one")
				}
				after := b.configMap()
				b.get(after)
				if after.ResourceVersion != foreign.ResourceVersion {
					t.Errorf("%s: it was changed", test.reason)
				}
				b.Environment.Client = sighted
				b.quiet(foreign)
				if err := b.User.Delete(t.Context(), foreign); err != nil {
					t.Fatal(err)
				}
				b.caughtUp(foreign)
				b.want("when it is gone, the child is made", reconcile.Continue)
				b.quiet(b.configMap())
			})
		}
	}
}

// blind is a client whose cache has not seen one object.
type blind struct {
	client.Client
	key client.ObjectKey
}

func blindFor(c client.Client, key client.ObjectKey) client.Client { return &blind{c, key} }

func (b *blind) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	if _, ok := into.(*corev1.ConfigMap); ok && key == b.key {
		key.Name = "not-there"
	}
	return b.Client.Get(ctx, key, into, options...)
}

func TestEnsureRefusesWhatNoOwnerReferenceHolds(t *testing.T) {
	b := newBench(t, resources.Ensure(func(app *v1.MyApp) (*corev1.ConfigMap, error) {
		child, err := desiredConfigMap(app)
		child.Namespace = "elsewhere"
		return child, err
	}))
	_, err := b.pass()
	if err == nil || !reconcile.IsTerminal(err) || !strings.Contains(err.Error(), "metadata.namespace") {
		t.Errorf("err = %v, want a terminal one that names the field", err)
	}
	b.wrote("nothing is sent")
}

func TestEnsureWaitsForATerminatingChild(t *testing.T) {
	b := newBench(t, resources.Ensure(desiredConfigMap))
	b.want("first pass", reconcile.Continue)
	child := b.configMap()
	b.get(child)
	child.Finalizers = []string{"example.com/hold"}
	b.update(child)
	if err := b.User.Delete(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	b.caughtUp(child)
	b.writes()
	result, err := b.pass()
	if err != nil || result.Reason() != "Deleting" {
		t.Fatalf("got %v, %v; want to wait for the deletion", result, err)
	}
	b.quiet(child)
	b.get(child)
	child.Finalizers = nil
	b.update(child)
	b.caughtUp(child)
	b.want("when it is gone, it is made again", reconcile.Continue)
	b.quiet(b.configMap())
}
