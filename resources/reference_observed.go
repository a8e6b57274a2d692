package resources

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// glimpse is what a pass has of a referenced object.
type glimpse[C client.Object] struct {
	object   *observation[C]
	sighting *sighting
}

// sighting is what is remembered of one version of a referenced object, so that
// it is worked out once.
type sighting struct {
	uid     types.UID
	version string

	mu      sync.Mutex
	hash    string // "" until somebody asks
	verdict *Readiness
}

// sighting returns what is remembered of this version of the object.
func (r *Referent[T, C]) sighting(run *reconcile.Run[T], found C) *sighting {
	known, ok := r.sightings.Get(run)
	if ok && known.uid == found.GetUID() && known.version == found.GetResourceVersion() && known.version != "" {
		return known
	}
	known = &sighting{uid: found.GetUID(), version: found.GetResourceVersion()}
	r.sightings.Set(run, known)
	return known
}

func (s *sighting) judge(test func() Readiness) Readiness {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.verdict == nil {
		verdict := test().complete()
		s.verdict = &verdict
	}
	return *s.verdict
}

// Observed returns the object as this pass found it, and false if there is none:
// none is referred to, it does not exist, or the step was held up. To read it where
// the step cannot have run yet is a mistake, see [reconcile.Run.Missing]. The object
// is the caller's to keep and change.
func (r *Referent[T, C]) Observed(run *reconcile.Run[T]) (C, bool) {
	seen, ok := r.observed.Get(run)
	if !ok {
		run.Missing(r.step)
		var none C
		return none, false
	}
	return seen.object.child(), true
}

// Hash returns a short digest of what the object says, and false if there is no
// object, see [Referent.Observed]. It changes with the data of a Secret or
// ConfigMap, of which [Referent.Keys] may choose, and with the spec of anything
// else, or all but metadata and status where there is no spec. It does not change
// with labels, annotations, or when the object is made again with the same
// content. As an annotation of a pod template it makes pods start anew with what
// has changed.
func (r *Referent[T, C]) Hash(run *reconcile.Run[T]) (string, bool) {
	seen, ok := r.observed.Get(run)
	if !ok {
		run.Missing(r.step)
		return "", false
	}
	seen.sighting.mu.Lock()
	defer seen.sighting.mu.Unlock()
	if seen.sighting.hash == "" {
		seen.sighting.hash = contentHash(seen.object.shared, r.keys)
	}
	return seen.sighting.hash, true
}
