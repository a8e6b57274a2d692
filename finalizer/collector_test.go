package finalizer_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/trueup-dev/trueup/examples/myapp/api/v1"
	"github.com/trueup-dev/trueup/finalizer"
	"github.com/trueup-dev/trueup/reconcile"
	"github.com/trueup-dev/trueup/resources"
)

// held is an effect that is released when it is let go.
type held struct {
	mu       sync.Mutex
	released int
	waiting  bool
}

func (h *held) step() reconcile.Step[*v1.MyApp] {
	return finalizer.Func(dns, func(context.Context, run) (reconcile.Result, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.waiting {
			return reconcile.Wait("Releasing", "the zone is slow").After(pollSoon), nil
		}
		h.released++
		return reconcile.Continue, nil
	})
}

func (h *held) hold(waiting bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting = waiting
}

func (h *held) releases() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.released
}

// What becomes of an owner, of its children and of what those own, by the policy
// of whoever deletes it, while a finalizer of ours waits for something outside:
// the real garbage collector and the finalizer do not get in each other's way.
func TestDeletionWithTheRealGarbageCollector(t *testing.T) {
	for policy, test := range map[metav1.DeletionPropagation]struct {
		reason    string
		whileHeld func(*operated, ...client.Object) // what has come of the children while the owner waits
		inTheEnd  func(*operated, ...client.Object)
	}{
		metav1.DeletePropagationBackground: {
			reason: "the children go after the owner", whileHeld: (*operated).stay, inTheEnd: (*operated).gone,
		},
		metav1.DeletePropagationForeground: {
			reason: "the children go before the owner", whileHeld: (*operated).gone, inTheEnd: (*operated).goneAlready,
		},
		metav1.DeletePropagationOrphan: {
			reason: "the children stay, and are nobody's", whileHeld: (*operated).orphaned, inTheEnd: (*operated).orphaned,
		},
	} {
		t.Run(string(policy), func(t *testing.T) {
			effect := &held{waiting: true}
			o := operate(t, strings.ToLower(string(policy)), effect.step(), resources.Ensure(desiredConfigMap), resources.Ensure(desiredDeployment))
			children := []client.Object{child(o, &corev1.ConfigMap{}), child(o, &appsv1.Deployment{})}
			o.eventually("all are there", func() bool {
				sets := o.replicaSets()
				return len(sets) == 1 && o.read(children[0]) && o.read(children[1])
			})
			children = append(children, &o.replicaSets()[0])
			o.settled()
			o.requests.Reset()
			o.remove(o.app, policy)
			o.says("Deleting", "deletion waits for dns: the zone is slow")
			test.whileHeld(o, children...)
			if !o.read(o.app) || !slices.Contains(o.app.Finalizers, dns) {
				t.Errorf("%s: the owner did not wait: %v", test.reason, o.app.Finalizers)
			}
			effect.hold(false)
			o.gone(o.app)
			test.inTheEnd(o, children...)
			o.settled()
			if n := effect.releases(); n != 1 {
				t.Errorf("it was released %d times", n)
			}
			for _, request := range o.requests.Writes() {
				if request.Resource != "myapps" && request.Resource != "myapps/status" {
					t.Errorf("%s: the children are the collector's", request)
				}
			}
		})
	}
}

// stay checks that children are as they were.
func (o *operated) stay(children ...client.Object) {
	o.Helper()
	for _, child := range children {
		was := child.GetUID()
		if !o.read(child) || child.GetUID() != was || child.GetDeletionTimestamp() != nil || len(child.GetOwnerReferences()) != 1 {
			o.Errorf("%T is gone, or going, or somebody else's: %v", child, child.GetOwnerReferences())
		}
	}
}

// goneAlready checks that children are gone.
func (o *operated) goneAlready(children ...client.Object) {
	o.Helper()
	for _, child := range children {
		if o.read(child) {
			o.Errorf("%T is there", child)
		}
	}
}

// orphaned waits until children are nobody's, and checks that what those own is
// still theirs.
func (o *operated) orphaned(children ...client.Object) {
	o.Helper()
	for _, child := range children {
		was := child.GetUID()
		if _, owned := child.(*appsv1.ReplicaSet); owned {
			o.stay(child)
			continue
		}
		o.eventually("it is nobody's", func() bool {
			return !o.read(child) || len(child.GetOwnerReferences()) == 0
		})
		if child.GetUID() != was || child.GetDeletionTimestamp() != nil {
			o.Errorf("%T is another, or going", child)
		}
	}
}
