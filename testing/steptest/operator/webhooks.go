package operator

import (
	"context"
	"net/http"

	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// webhooks is a server of webhooks that takes them as a real one does, and calls none.
type webhooks struct{ mux *http.ServeMux }

var _ webhook.Server = webhooks{}

func (webhooks) NeedLeaderElection() bool                  { return false }
func (w webhooks) Register(path string, hook http.Handler) { w.mux.Handle(path, hook) }
func (webhooks) StartedChecker() healthz.Checker           { return healthz.Ping }
func (w webhooks) WebhookMux() *http.ServeMux              { return w.mux }

// Start waits until the operator ends.
func (webhooks) Start(ctx context.Context) error {
	<-ctx.Done()
	return nil
}
