package operator

import (
	"context"
	"fmt"

	"github.com/trueup-dev/trueup/reconcile"
)

// Registry is the external system.
type Registry interface {
	Create(token string) (id string, err error)
	Find(token string) (id string, err error)
	Delete(token string) error
}

// registered keeps an entry for each app, if there is a Registry. The token is
// the UID, which no other app has had.
type registered struct{ registry Registry }

// registryID is what the Registry calls the app.
var registryID = reconcile.NewValue[string]()

func (r registered) acquire(_ context.Context, run run) (reconcile.Result, error) {
	if r.registry == nil {
		return reconcile.Continue, nil
	}
	token := string(run.Object().UID)
	id, err := r.registry.Find(token)
	if err == nil && id == "" {
		id, err = r.registry.Create(token)
	}
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("register: %w", err)
	}
	registryID.Set(run, id)
	return reconcile.Continue, nil
}

func (r registered) release(_ context.Context, run run) (reconcile.Result, error) {
	if r.registry == nil {
		return reconcile.Continue, nil
	}
	err := r.registry.Delete(string(run.Object().UID))
	return reconcile.Continue, reconcile.WithReason("CleanupFailed", err)
}
