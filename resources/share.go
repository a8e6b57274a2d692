package resources

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// Marks on objects that steps share, see [Child.Share].
const (
	// SharePrefix begins the key of a label and of an annotation for each step of
	// each owner that holds a part of the object: the owner's UID and a hash of the
	// step follow. The label has the names of the pipeline and the step, the
	// annotation the namespace and name of the owner.
	SharePrefix = "share.trueup.dev/"

	// SharedLabel is on objects that a step which shares has made: the last one
	// that holds such an object deletes it.
	SharedLabel = "trueup.dev/shared"
)

// Share lets the step hold a part of an object together with whoever else does:
// other owners, another step, another operator, or a person. What desired sets
// becomes so, whoever made the object and whoever controls it; what others set
// stays.
//
// Nobody becomes its owner by that. There is no owner reference, not even one
// that does not control: the garbage collector deletes what has lost its last
// owner, and with it what a person holds, who has none. The object is marked with
// [SharePrefix] instead, by which its events wake those that hold it.
//
// Each owner applies under a field manager of its own, the step's or the
// pipeline's with a hash of the owner's UID behind it, so that the owners do not
// take each other's fields away. Two that want another value for one field
// contest it, as with anybody else. Two steps of one owner that share an object
// need [Child.FieldManager] for at least one of them.
//
// When the child is not wanted any more, and before the object goes, which gets
// the given finalizer for it, a domain and a name of the step's own, the step
// takes its fields away and leaves the rest: by an apply of nothing under its
// field manager, with the UID and resourceVersion of the child as preconditions.
// It never deletes what somebody else holds. If a step that shares has made the
// child, and nobody holds any of it any more, neither an owner, nor such a step,
// nor another field manager, the last one deletes it. A child that the object
// itself controls goes with it: nothing is taken away from it before.
//
// An object that is not there is made, unless another step of the pipeline makes
// it, in which case this one waits: put it after that step. desired may name a
// namespace, and a kind may be cluster-scoped. It is for a handful of owners: each
// adds some 300 bytes to the object. Defaults to what is the object's alone.
func (c *Child[T, C]) Share(finalizer string) *Child[T, C] {
	c.err = errors.Join(c.err, c.engine.setShared(finalizer))
	return c
}

// Share lets the step hold parts of objects together with others, as
// [Child.Share].
func (s *Set[T, C]) Share(finalizer string) *Set[T, C] {
	s.err = errors.Join(s.err, s.engine.setShared(finalizer))
	return s
}

func (e *engine[T, C]) setShared(finalizer string) error {
	if finalizer == "" {
		return errors.New("Share: the finalizer is empty")
	}
	e.shared = true
	return e.tie("Share", finalizer)
}

// atOdds returns what is wrong with the choices of a step taken together.
func (e *engine[T, C]) atOdds() error {
	var faults []error
	if e.shared && e.recreate {
		faults = append(faults, errors.New("Recreate: what is shared is not the step's to delete"))
	}
	if e.shared && e.adopt {
		faults = append(faults, errors.New("Adopt: what is shared is not taken over; leave one of the two out"))
	}
	if e.shared && e.policy != "" {
		faults = append(faults, errors.New("OnDelete: what is shared is left to the others"))
	}
	if e.shared && len(e.oldNames) > 0 {
		faults = append(faults, errors.New("FormerlyNamed: what is shared is marked in another way; keep the name"))
	}
	return errors.Join(faults...)
}

// shareKey returns the key under which the step marks what it holds a part of.
func (e *engine[T, C]) shareKey(run *reconcile.Run[T]) string {
	return SharePrefix + string(run.Object().GetUID()) + "." + shortHash(e.mark(run))
}

// claimShare marks what the step holds a part of.
func (e *engine[T, C]) claimShare(run *reconcile.Run[T], metadata map[string]any) {
	within(metadata, "labels")[e.shareKey(run)] = e.mark(run)
	within(metadata, "annotations")[e.shareKey(run)] = client.ObjectKeyFromObject(run.Object()).String()
}

// inherit marks an object that a step makes to share it, and has everybody who
// holds a part of such an object hold the mark, so that it stays as long as one of
// them does. live is nil if there is no object yet.
func (e *engine[T, C]) inherit(content map[string]any, live client.Object) {
	if e.shared && (live == nil || live.GetLabels()[SharedLabel] != "") {
		within(within(content, "metadata"), "labels")[SharedLabel] = "true"
	}
}

// shareWithMaker shares an object that another step of the pass makes, and that
// the cache does not show, once it is there.
func (e *engine[T, C]) shareWithMaker(
	ctx context.Context, run *reconcile.Run[T], slot *slot[C], want *intent[C], maker string,
) (reconcile.Result, *observation[C], error) {
	live, err := e.lookLive(ctx, run, slot, want.key)
	if err != nil {
		return reconcile.Result{}, nil, err
	}
	if live == nil {
		return reconcile.Wait("NotMade", fmt.Sprintf("%s is not there yet; step %s makes it", want, maker)), nil, nil
	}
	return e.converge(ctx, run, slot, want, live)
}

// dropNulls drops the fields that a Go type writes although nobody has set them,
// such as the selector of a Deployment of which the author means one container:
// an apply of null would take them away from whoever holds them.
func dropNulls(content any) {
	switch content := content.(type) {
	case map[string]any:
		for name, field := range content {
			if field == nil {
				delete(content, name)
			} else {
				dropNulls(field)
			}
		}
	case []any:
		for _, item := range content {
			dropNulls(item)
		}
	}
}

// sharers returns the UIDs of the owners that share an object, one for each of
// their steps.
func sharers(object client.Object) []string {
	var owners []string
	for key := range object.GetLabels() {
		if rest, ok := strings.CutPrefix(key, SharePrefix); ok {
			owner, _, _ := strings.Cut(rest, ".")
			owners = append(owners, owner)
		}
	}
	return owners
}

// madeToShare reports whether an object is there only because steps of this owner
// share it: it is the owner's to control.
func madeToShare(owner types.UID, object client.Object) bool {
	if object.GetLabels()[SharedLabel] == "" || len(object.GetOwnerReferences()) > 0 {
		return false
	}
	for _, other := range sharers(object) {
		if other != string(owner) {
			return false
		}
	}
	return true
}

// heldByNobodyElse reports whether the step of a field manager is the last that
// holds anything of an object that was made to be shared.
func heldByNobodyElse(object client.Object, manager string) bool {
	labels := object.GetLabels()
	if labels[SharedLabel] == "" || labels[OwnerUIDLabel] != "" ||
		len(object.GetOwnerReferences()) > 0 || len(sharers(object)) > 1 {
		return false
	}
	entries := object.GetManagedFields()
	for i := range entries {
		if entry := &entries[i]; entry.Subresource == "" &&
			(entry.Manager != manager || entry.Operation != metav1.ManagedFieldsOperationApply) {
			return false
		}
	}
	return true
}
