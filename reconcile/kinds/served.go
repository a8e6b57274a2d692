package kinds

import (
	"fmt"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// served returns an error if the server does not know a kind that is not watched. It
// is asked without the lock, so that it keeps nobody waiting but who asks.
func (w *Watches) served(kind schema.GroupVersionKind) error {
	absent := &meta.NoKindMatchError{GroupKind: kind.GroupKind(), SearchedVersions: []string{kind.Version}}
	w.mu.Lock()
	_, watched := w.byKind[kind]
	until, known := w.absent[kind]
	w.mu.Unlock()
	switch {
	case watched:
		return nil
	case known && time.Now().Before(until):
		return absent
	}
	_, err := w.mgr.GetRESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(w.absent, func(_ schema.GroupVersionKind, until time.Time) bool { return now.After(until) })
	delete(w.absent, kind)
	switch {
	case meta.IsNoMatchError(err):
		w.absent[kind] = now.Add(LookAgain)
		return absent
	case err != nil:
		return fmt.Errorf("watch %s: %w", kind, err)
	}
	return nil
}
