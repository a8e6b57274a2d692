package finalizer

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/trueup-dev/trueup/reconcile"
)

// memory is what a process remembers of an object's thing. It only saves calls,
// except that a process knows what it has itself begun.
type memory[S any] struct {
	fresh    bool      // the object was read past the cache, or its token is this process's
	thing    *Thing[S] // what was observed last
	at       time.Time // when
	made     string    // the id of what was created and has never been observed
	doubt    time.Time // when a Create failed that may still take effect
	deleting bool      // Delete has succeeded
	released bool      // and the thing is gone
}

func (s *ExternalStep[T, S]) remembered(run *reconcile.Run[T]) *memory[S] {
	known, ok := s.memory.Get(run)
	if !ok {
		known = &memory[S]{}
		s.memory.Set(run, known)
	}
	return known
}

// tokenKey and idKey name the annotations that go with a finalizer.
func tokenKey(finalizer string) string { return finalizer + "-token" }
func idKey(finalizer string) string    { return finalizer + "-id" }

// token returns the token of an object's thing when it is first made.
func (s *ExternalStep[T, S]) token(object client.Object) string {
	return string(object.GetUID()) + "-" + s.guard.name()
}

// read returns what an object says of its thing, under the present name of the
// finalizer or a former one. Without a token, or with that of another object, it
// says nothing.
func (s *ExternalStep[T, S]) read(object client.Object) Identity {
	annotations := object.GetAnnotations()
	for _, name := range append([]string{s.guard.finalizer}, s.guard.former...) {
		token := annotations[tokenKey(name)]
		if strings.HasPrefix(token, string(object.GetUID())+"-") {
			return Identity{Token: token, ID: annotations[idKey(name)]}
		}
	}
	return Identity{}
}

// stored returns the annotations that an object has to have before anything is
// made for it: the token, and what stood under a former name.
func (s *ExternalStep[T, S]) stored(object client.Object) map[string]string {
	at := s.read(object)
	if at.Token == "" && !s.byID {
		at.Token = s.token(object)
	}
	want := s.forgotten()
	want[tokenKey(s.guard.finalizer)] = at.Token
	want[idKey(s.guard.finalizer)] = at.ID
	return want
}

// forgotten removes every annotation of the step.
func (s *ExternalStep[T, S]) forgotten() map[string]string {
	none := map[string]string{tokenKey(s.guard.finalizer): "", idKey(s.guard.finalizer): ""}
	for _, name := range s.guard.former {
		none[tokenKey(name)], none[idKey(name)] = "", ""
	}
	return none
}

// identify returns what is known of an object's thing, from the object itself:
// past the cache if the one at hand does not say the id and this process cannot
// know that there is none. The token is never empty, except where its absence
// says that nothing was ever made. deleting says that the object was found to be
// deleted in the meantime.
func (s *ExternalStep[T, S]) identify(
	ctx context.Context, run *reconcile.Run[T], known *memory[S],
) (at Identity, deleting bool, err error) {
	at = s.read(run.Object())
	if at.ID == "" && !known.fresh {
		var stored Identity
		if stored, deleting, err = s.readLive(ctx, run); err != nil {
			return at, false, err
		}
		known.fresh = !deleting && stored == at
		at = stored
	}
	if at.Token == "" && !s.byID {
		at.Token = s.token(run.Object())
	}
	return at, deleting, nil
}

// readLive reads past the cache what an object says of its thing, and whether it
// is being deleted or gone.
func (s *ExternalStep[T, S]) readLive(ctx context.Context, run *reconcile.Run[T]) (at Identity, deleting bool, err error) {
	live := run.Object().DeepCopyObject().(T)
	err = run.Home().Live().Get(ctx, client.ObjectKeyFromObject(live), live)
	switch {
	case apierrors.IsNotFound(err), err == nil && live.GetUID() != run.Object().GetUID():
		return s.read(run.Object()), true, nil
	case err != nil:
		return Identity{}, false, fmt.Errorf("read the object past the cache: %w", err)
	}
	return s.read(live), !live.GetDeletionTimestamp().IsZero(), nil
}
