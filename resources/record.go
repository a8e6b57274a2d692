package resources

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// record is what a step remembers of the child it last applied, to tell in the
// next pass that nothing has to be done. It is made from the server's answer, so
// that the server's form is only ever compared with the server's form.
type record[C client.Object] struct {
	hash      digest // of what was wanted
	projected digest // of what was made of it, zero if that is not known

	mu sync.Mutex

	// These are made the strings of the objects of a pass whenever they are the
	// same. Strings at the same place are equal without a look at what they say, and
	// with ten thousand objects each look is into memory that no cache has any more.
	key     client.ObjectKey
	uid     types.UID
	version string // the last resourceVersion that is known to be as wanted

	cleared bool       // that version was found to be the owner's, and not to be going
	judged  bool       // whether verdict is about that version already
	applied C          // the answer, until the cache has caught up with it
	verdict *Readiness // why the child is not ready in that version, nil if it is
}

// newRecord makes the record of an apply.
func newRecord[C client.Object](want *intent[C], applied C, manager string) (*record[C], error) {
	projected, _, err := projection(applied, manager)
	if err != nil {
		return nil, err
	}
	return &record[C]{
		key:       want.key,
		uid:       applied.GetUID(),
		hash:      want.hash,
		projected: projected,
		version:   applied.GetResourceVersion(),
		applied:   applied,
	}, nil
}

// state is what is known of an existing child.
type state int

const (
	unknown  state = iota // nothing for certain: it has to be applied
	asWanted              // what is wanted was applied, and that is what is there
	changed               // what is wanted was applied, and somebody has changed it
	hidden                // what is wanted was applied, and the cache drops what would tell the rest
)

// compare says, of a record or of none, what is known of a child. It is as wanted
// if what is wanted is what was applied, and if what is there is what the server
// made of it: the same resourceVersion, or another one in which nothing has
// changed that the field manager owns, because somebody wrote the status or a
// field of their own.
func (r *record[C]) compare(want *intent[C], live C, manager string) (state, error) {
	if r == nil || r.hash != want.hash || !r.isOf(live) {
		return unknown, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version == live.GetResourceVersion() {
		return asWanted, nil
	}
	if len(live.GetManagedFields()) == 0 {
		return hidden, nil
	}
	projected, _, err := projection(live, manager)
	if err != nil {
		return unknown, err
	}
	if projected != r.projected {
		return changed, nil
	}
	r.version, r.judged, r.cleared = live.GetResourceVersion(), false, false
	return asWanted, nil
}

// at returns the version of the child that the record, or none, is about.
func (r *record[C]) at() string {
	if r == nil {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version
}

// clear notes that nothing keeps the version of the child that is as wanted from
// being kept.
func (r *record[C]) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleared = true
}

// isSettled reports whether an earlier pass has found, of this very version of the
// child, that it is as wanted and the owner's: there is nothing more to look at.
func (r *record[C]) isSettled(want *intent[C], live C) bool {
	if r == nil || r.hash != want.hash {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	uid, version := live.GetUID(), live.GetResourceVersion()
	if !r.cleared || r.version != version || version == "" || r.uid != uid || r.key != want.key {
		return false
	}
	r.key, r.uid, r.version = want.key, uid, version
	return true
}

// isOf reports whether the record, or none, is of an object.
func (r *record[C]) isOf(object client.Object) bool {
	return r != nil && r.uid == object.GetUID()
}

// isAheadOf reports whether the cache has not yet seen what the record is
// about.
func (r *record[C]) isAheadOf(cached C) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if reflect.ValueOf(&r.applied).Elem().IsZero() {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(cached.GetResourceVersion(), r.applied.GetResourceVersion())
	return err == nil && order < 0
}

// caughtUp lets go of the answer, once the cache has it or something newer.
func (r *record[C]) caughtUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	var none C
	r.applied = none
}

// readiness judges the child, or returns the judgement of a pass that saw the
// same version of it. Only that of the version that is known to be as wanted is
// kept.
func (r *record[C]) readiness(child *observation[C], test func(C) Readiness) Readiness {
	r.mu.Lock()
	defer r.mu.Unlock()
	version := child.shared.GetResourceVersion()
	if r.version != version || version == "" {
		return test(share(child.shared).child()).complete()
	}
	if !r.judged {
		verdict := test(share(child.shared).child()).complete() // if it panics, nothing is remembered
		r.verdict, r.judged = nil, true
		if !verdict.Ready {
			r.verdict = &verdict
		}
	}
	if r.verdict == nil {
		return Readiness{Ready: true}
	}
	return *r.verdict
}
